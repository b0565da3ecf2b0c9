import { Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { ProjectsModule } from '../projects/projects.module.js';
import { AccessGuard } from './access.guard.js';
import { AccessService } from './access.service.js';
import { ApiKeyService } from './api-key.service.js';
import { MembershipService } from './application/membership.service.js';
import { SignInService } from './application/sign-in.service.js';
import { ApiKeyController } from './http/api-key.controller.js';
import { AuthController } from './http/auth.controller.js';
import { MeController } from './http/me.controller.js';
import { MemberController } from './http/member.controller.js';
import { AuthPool } from './infrastructure/auth-pool.js';

@Module({
  imports: [ProjectsModule],
  controllers: [AuthController, MeController, MemberController, ApiKeyController],
  providers: [
    AccessService,
    AuthPool,
    SignInService,
    MembershipService,
    ApiKeyService,
    { provide: APP_GUARD, useClass: AccessGuard },
  ],
  exports: [AccessService, ApiKeyService],
})
export class AccessModule {}
