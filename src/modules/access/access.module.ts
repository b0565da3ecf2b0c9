import { Module } from '@nestjs/common';
import { ProjectsModule } from '../projects/projects.module.js';
import { AccessService } from './access.service.js';
import { ApiKeyService } from './api-key.service.js';
import { AcceptInvitation } from './application/accept-invitation.js';
import { AccountLimits } from './application/account-limits.js';
import { AccountMails } from './application/account-mails.js';
import { AccountRequests } from './application/account-requests.js';
import { ChangeEmail } from './application/change-email.js';
import { CurrentPassword } from './application/current-password.js';
import { InvitationService } from './application/invitation.service.js';
import { JoinProject } from './application/join-project.js';
import { MembershipService } from './application/membership.service.js';
import { OwnAccountService } from './application/own-account.service.js';
import { OwnInvitations } from './application/own-invitations.service.js';
import { PasswordService } from './application/password.service.js';
import { MembershipRevocation } from './application/membership-revocation.js';
import { SecondFactorService } from './application/second-factor.service.js';
import { SessionService } from './application/session.service.js';
import { SignInPolicyService } from './application/sign-in-policy.service.js';
import { SignInService } from './application/sign-in.service.js';
import { SignUpService } from './application/sign-up.service.js';
import { StrangerPasswords } from './application/stranger-passwords.js';
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
    ChangeEmail,
    SessionService,
    OwnAccountService,
    ApiKeyService,
  ],
  exports: [
    AccessService,
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
  ],
})
export class AccessModule {}
