import { Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { ProjectsModule } from '../../projects/projects.module.js';
import { AccessGuard } from '../access.guard.js';
import { AccessModule } from '../access.module.js';
import { AccountController } from './account.controller.js';
import { ApiKeyController } from './api-key.controller.js';
import { AuthController } from './auth.controller.js';
import { InvitationController } from './invitation.controller.js';
import { MeController } from './me.controller.js';
import { MemberController } from './member.controller.js';
import { OwnInvitationController } from './own-invitation.controller.js';
import { OwnershipController } from './ownership.controller.js';
import { SecondFactorController } from './second-factor.controller.js';
import { SessionController } from './session.controller.js';
import { SignInPolicyController } from './sign-in-policy.controller.js';

/** The routes of accounts and members, and the guard of all routes. */
@Module({
  imports: [AccessModule, ProjectsModule],
  controllers: [
    AuthController,
    AccountController,
    InvitationController,
    OwnInvitationController,
    OwnershipController,
    SecondFactorController,
    SignInPolicyController,
    MeController,
    SessionController,
    MemberController,
    ApiKeyController,
  ],
  providers: [{ provide: APP_GUARD, useClass: AccessGuard }],
})
export class AccessHttpModule {}
