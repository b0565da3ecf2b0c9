import { Module } from '@nestjs/common';
import { ProjectsModule } from '../projects/projects.module.js';
import { AccessService } from './access.service.js';
import { ApiKeyService } from './api-key.service.js';
import { AcceptInvitation, JoinProject, OwnInvitations } from './application/accept-invitation.js';
import { AccountLimits } from './application/account-limits.js';
import { AccountMails, AccountRequests } from './application/account-mails.js';
import { ChangeEmail } from './application/change-email.js';
import { DeviceAuthorizationService } from './application/device-authorization.service.js';
import { PersonalTokenService } from './application/personal-token.service.js';
import { CurrentPassword, PasswordService } from './application/password.service.js';
import { InvitationService } from './application/invitation.service.js';
import { MembershipRevocation, MembershipService } from './application/membership.service.js';
import { OwnAccountService, SessionService } from './application/own-account.service.js';
import { SecondFactorService, SignInPolicyService } from './application/second-factor.service.js';
import { RecentSignIn } from './application/recent-sign-in.js';
import { SignInService } from './application/sign-in.service.js';
import { SignUpService } from './application/sign-up.service.js';
import { StrangerPasswords } from './application/password-attempts.js';
import { PeopleService } from './people.service.js';
import { AuthLibrary } from './infrastructure/auth-library.js';
import { AuthPool } from './infrastructure/auth-pool.js';
import { Passwords } from './infrastructure/passwords.js';

/** Accounts, sessions, members and API keys. */
@Module({
  imports: [ProjectsModule],
  providers: [
    AccessService,
    AuthPool,
    AuthLibrary,
    SecondFactorService,
    SignInPolicyService,
    Passwords,
    StrangerPasswords,
    SignInService,
    SignUpService,
    PasswordService,
    AccountLimits,
    AccountMails,
    AccountRequests,
    InvitationService,
    AcceptInvitation,
    JoinProject,
    OwnInvitations,
    MembershipService,
    MembershipRevocation,
    CurrentPassword,
    RecentSignIn,
    PeopleService,
    ChangeEmail,
    SessionService,
    OwnAccountService,
    ApiKeyService,
    PersonalTokenService,
    DeviceAuthorizationService,
  ],
  exports: [
    AccessService,
    PeopleService,
    ApiKeyService,
    SignUpService,
    PasswordService,
    ChangeEmail,
    AcceptInvitation,
    SignInService,
    InvitationService,
    OwnAccountService,
    MembershipService,
    OwnInvitations,
    SecondFactorService,
    SessionService,
    SignInPolicyService,
    PersonalTokenService,
    DeviceAuthorizationService,
  ],
})
export class AccessModule {}
