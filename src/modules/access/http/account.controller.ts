import { Body, Controller, Header, HttpCode, Post, Res, UseGuards } from '@nestjs/common';
import {
  ApiConflictResponse,
  ApiAcceptedResponse,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
} from '@nestjs/swagger';
import {
  ApiBodyExample,
  ApiRefusals,
  ApiSuccessHeaders,
  EXAMPLE_TOKEN,
} from '../../../platform/openapi/api-description.js';
import type { Response } from 'express';
import { Public } from '../../../platform/http/public.decorator.js';
import { AcceptInvitation } from '../application/accept-invitation.js';
import { ChangeEmail } from '../application/change-email.js';
import { PasswordService } from '../application/password.service.js';
import { SignInService } from '../application/sign-in.service.js';
import { SignUpService } from '../application/sign-up.service.js';
import type { SignInClient } from '../domain/session.js';
import { CurrentClient } from './current-client.decorator.js';
import { setCookies } from './auth.controller.js';
import {
  EMAIL_SENT,
  EmailSentResponse,
  ConfirmEmailBody,
  ConfirmNewEmailBody,
  EmailBody,
  ResetPasswordBody,
  SignedInResponse,
  SignedOutResponse,
  SignUpBody,
  TokenBody,
} from './auth.dto.js';
import { AcceptedResponse, AcceptInvitationBody, ShownInvitationResponse } from './invitation.dto.js';
import { OwnRequestGuard } from './own-request.guard.js';

/** Sign-up, password resets and other account actions by mailed links (docs/accounts.md). */
@ApiTags('Sign-in')
@ApiSuccessHeaders('Set-Cookie')
@UseGuards(OwnRequestGuard)
@Controller('v1/auth')
export class AccountController {
  constructor(
    private readonly signUps: SignUpService,
    private readonly passwords: PasswordService,
    private readonly emails: ChangeEmail,
    private readonly invitations: AcceptInvitation,
    private readonly signIns: SignInService,
  ) {}

  /**
   * Always `{ status: "check_your_mail" }`: the mail has a link to `/confirm-email?token=…`, or a
   * notice that the account exists. 403 `sign_up_closed` unless SIGN_UP is `open`.
   */
  @Public()
  @ApiBodyExample({ email: 'ada@example.com', password: 'correct horse battery', name: 'Ada' })
  @ApiOperation({ summary: 'Sign up and receive a confirmation link by email' })
  @ApiAcceptedResponse({ type: EmailSentResponse })
  @HttpCode(202)
  @Header('Cache-Control', 'no-store')
  @Post('sign-up/email')
  async signUp(@Body() body: SignUpBody, @CurrentClient() client: SignInClient): Promise<EmailSentResponse> {
    const name = body.name ?? body.email.slice(0, body.email.lastIndexOf('@'));
    await this.signUps.request({ ...body, name }, client);
    return EMAIL_SENT;
  }

  /**
   * Creates the account of a mailed link, returns `{ user }` and sets the session cookie; 401
   * `invalid_credentials` if the password is not that of the sign-up, 410 `link_ended`.
   */
  @Public()
  @ApiBodyExample({ token: EXAMPLE_TOKEN, password: 'correct horse battery' })
  @ApiRefusals(410)
  @ApiOperation({ summary: 'Confirm the email address of a sign-up and open a session' })
  @ApiOkResponse({ type: SignedInResponse })
  @HttpCode(200)
  @Header('Cache-Control', 'no-store')
  @Post('confirm-email')
  async confirmEmail(
    @Body() body: ConfirmEmailBody,
    @CurrentClient() client: SignInClient,
    @Res({ passthrough: true }) response: Response,
  ): Promise<SignedInResponse> {
    return setCookies(response, await this.signUps.confirm(body, client));
  }

  /** Always `{ status: "check_your_mail" }`: an account gets a link to `/new-password?token=…`. */
  @Public()
  @ApiBodyExample({ email: 'ada@example.com' })
  @ApiOperation({ summary: 'Request a password reset link by email' })
  @ApiAcceptedResponse({ type: EmailSentResponse })
  @HttpCode(202)
  @Header('Cache-Control', 'no-store')
  @Post('forgot-password')
  async forgotPassword(
    @Body() { email }: EmailBody,
    @CurrentClient() client: SignInClient,
  ): Promise<EmailSentResponse> {
    await this.passwords.forgot(email, client.address);
    return EMAIL_SENT;
  }

  /**
   * Sets the password, ends all sessions, marks the address as confirmed, and opens no session; 410
   * `link_ended`.
   */
  @Public()
  @ApiBodyExample({ token: EXAMPLE_TOKEN, newPassword: 'staple battery horse' })
  @ApiRefusals(410)
  @ApiOperation({ summary: 'Set a new password with an emailed link' })
  @ApiOkResponse({ type: SignedOutResponse })
  @HttpCode(200)
  @Header('Cache-Control', 'no-store')
  @Post('reset-password')
  async resetPassword(
    @Body() body: ResetPasswordBody,
    @CurrentClient() client: SignInClient,
  ): Promise<SignedOutResponse> {
    await this.passwords.reset(body, client.address);
    return { success: true };
  }

  /**
   * Changes the address, notifies both addresses, and ends all sessions except the request's, if
   * any; opens none. 401 `invalid_credentials`, 410 `link_ended`.
   */
  @Public()
  @ApiBodyExample({ token: EXAMPLE_TOKEN, password: 'correct horse battery' })
  @ApiRefusals(410)
  @ApiOperation({ summary: 'Confirm a new email address' })
  @ApiOkResponse({ type: SignedOutResponse })
  @HttpCode(200)
  @Header('Cache-Control', 'no-store')
  @Post('confirm-new-email')
  async confirmNewEmail(
    @Body() body: ConfirmNewEmailBody,
    @CurrentClient() client: SignInClient,
  ): Promise<SignedOutResponse> {
    await this.emails.confirm(body, client);
    return { success: true };
  }

  /** The invitation of a link; the link stays valid. 410 `link_ended`. */
  @Public()
  @ApiBodyExample({ token: EXAMPLE_TOKEN })
  @ApiRefusals(410)
  @ApiOperation({ summary: 'Read an invitation by its token' })
  @ApiOkResponse({ type: ShownInvitationResponse })
  @HttpCode(200)
  @Header('Cache-Control', 'no-store')
  @Post('invitation')
  invitation(
    @Body() { token }: TokenBody,
    @CurrentClient() client: SignInClient,
  ): Promise<ShownInvitationResponse> {
    return this.invitations.look(token, client.address);
  }

  /**
   * Makes the caller a member: with a session of the invited address, or, if it has no account,
   * with a password, which creates one and opens a session. 401 `authentication_required` if the
   * address has an account and the caller has no session, 403 `invitation_for_another`, 410
   * `link_ended`.
   */
  @Public()
  @ApiBodyExample({ token: EXAMPLE_TOKEN, password: 'correct horse battery' })
  @ApiRefusals(410)
  @ApiConflictResponse({
    description: '`member_limit_reached`, `project_limit_reached`, `organization_limit_reached`',
  })
  @ApiOperation({ summary: 'Accept an invitation by its token' })
  @ApiOkResponse({ type: AcceptedResponse })
  @HttpCode(200)
  @Header('Cache-Control', 'no-store')
  @Post('accept-invitation')
  async acceptInvitation(
    @Body() body: AcceptInvitationBody,
    @CurrentClient() client: SignInClient,
    @Res({ passthrough: true }) response: Response,
  ): Promise<AcceptedResponse> {
    const signedIn = await this.signIns.find(client.cookie);
    const { signIn, ...joined } = await this.invitations.accept(body, signedIn, client);
    return { ...joined, user: signIn && setCookies(response, signIn).user };
  }
}
