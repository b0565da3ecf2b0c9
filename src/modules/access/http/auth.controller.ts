import { Body, Controller, Get, Header, HttpCode, Post, Res, UseGuards } from '@nestjs/common';
import {
  ApiAcceptedResponse,
  ApiExtraModels,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
  refs,
} from '@nestjs/swagger';
import { ApiBodyExample, ApiSuccessHeaders } from '../../../platform/openapi/api-description.js';
import type { Response } from 'express';
import { CurrentActor, SignedIn, SessionOnly } from '../access.decorators.js';
import { Public } from '../../../platform/http/public.decorator.js';
import { type Actor, requireUser } from '../domain/actor.js';
import type { SignInClient } from '../domain/session.js';
import { ChangeEmail } from '../application/change-email.js';
import { PasswordService } from '../application/password.service.js';
import { type SignIn, SignInService } from '../application/sign-in.service.js';
import {
  ChangeEmailBody,
  ChangePasswordBody,
  EMAIL_SENT,
  EmailSentResponse,
  SecondFactorNeededResponse,
  SessionResponse,
  SignedInResponse,
  SignedOutResponse,
  SignInBody,
  UserResponse,
} from './auth.dto.js';
import { CurrentClient } from './current-client.decorator.js';
import { OwnRequestGuard } from './own-request.guard.js';

/**
 * Sign-in with email and password (design §5). The session is an HttpOnly cookie; no response body
 * contains its token. Requests from pages of other sites get 403 `csrf_refused`, too many attempts
 * 429.
 */
@ApiTags('Sign-in')
@ApiSuccessHeaders('Set-Cookie')
@UseGuards(OwnRequestGuard)
@Controller('v1/auth')
export class AuthController {
  constructor(
    private readonly signIns: SignInService,
    private readonly passwords: PasswordService,
    private readonly emails: ChangeEmail,
  ) {}

  /**
   * Returns `{ user }` and sets the session cookie; or `{ secondFactorRequired: true }`, and the
   * cookie only allows `sign-in/second-factor`. 401 `invalid_credentials`.
   */
  @Public()
  @ApiBodyExample({ email: 'ada@example.com', password: 'correct horse battery' })
  @ApiOperation({ summary: 'Open a session' })
  @ApiExtraModels(SignedInResponse, SecondFactorNeededResponse)
  @ApiOkResponse({ schema: { oneOf: refs(SignedInResponse, SecondFactorNeededResponse) } })
  @HttpCode(200)
  @Header('Cache-Control', 'no-store')
  @Post('sign-in/email')
  async signIn(
    @Body() body: SignInBody,
    @CurrentClient() client: SignInClient,
    @Res({ passthrough: true }) response: Response,
  ): Promise<SignedInResponse | SecondFactorNeededResponse> {
    const outcome = await this.signIns.signIn(body, client);
    if (outcome.kind === 'signed_in') return setCookies(response, outcome);
    response.append('Set-Cookie', outcome.cookies);
    return { secondFactorRequired: true };
  }

  /** Ends the session of the cookie, also in the database; 200 also without a session. */
  @Public()
  @ApiOperation({ summary: 'End the current session' })
  @ApiOkResponse({ type: SignedOutResponse })
  @HttpCode(200)
  @Header('Cache-Control', 'no-store')
  @Post('sign-out')
  async signOut(
    @CurrentClient() client: SignInClient,
    @Res({ passthrough: true }) response: Response,
  ): Promise<SignedOutResponse> {
    response.append('Set-Cookie', await this.signIns.signOut(client));
    return { success: true };
  }

  /**
   * Returns `{ session: { expiresAt }, user }`, or `null` without a valid session; extends an older
   * session.
   */
  @Public()
  @ApiOperation({ summary: 'Read the current session, or null' })
  @ApiExtraModels(SessionResponse)
  @ApiOkResponse({ schema: { nullable: true, allOf: refs(SessionResponse) } })
  @Get('get-session')
  async session(@CurrentClient() client: SignInClient, @Res() response: Response): Promise<void> {
    const { session, cookies } = await this.signIns.renew(client.cookie);
    response.append('Set-Cookie', cookies).setHeader('Cache-Control', 'no-store');
    response.json(session && { ...session, user: UserResponse.of(session.user) });
  }

  /**
   * Sets a new password, ends all other sessions of the user, renews this one and notifies them by
   * mail; 401 `invalid_credentials`.
   */
  @SignedIn()
  @SessionOnly()
  @ApiBodyExample({ currentPassword: 'correct horse battery', newPassword: 'staple battery horse' })
  @ApiOperation({ summary: 'Change the password and end all other sessions' })
  @ApiOkResponse({ type: SignedInResponse })
  @HttpCode(200)
  @Header('Cache-Control', 'no-store')
  @Post('change-password')
  async changePassword(
    @CurrentActor() actor: Actor,
    @Body() body: ChangePasswordBody,
    @CurrentClient() client: SignInClient,
    @Res({ passthrough: true }) response: Response,
  ): Promise<SignedInResponse> {
    const { userId } = requireUser(actor);
    const renewed = await this.signIns.changePassword(userId, body, client);
    await this.passwords.tellChanged(requireUser(actor));
    return setCookies(response, renewed);
  }

  /**
   * Always `{ status: "check_your_mail" }`: the new address gets a link to
   * `/confirm-new-email?token=…`, or a notice that it has an account; the current address is
   * notified. 401 `invalid_credentials`, 403 `email_not_confirmed`.
   */
  @SignedIn()
  @SessionOnly()
  @ApiBodyExample({ newEmail: 'ada@example.net', password: 'correct horse battery' })
  @ApiOperation({ summary: "Request a link by email that changes the account's address" })
  @ApiAcceptedResponse({ type: EmailSentResponse })
  @HttpCode(202)
  @Header('Cache-Control', 'no-store')
  @Post('change-email')
  async changeEmail(
    @CurrentActor() actor: Actor,
    @Body() body: ChangeEmailBody,
    @CurrentClient() { address }: SignInClient,
  ): Promise<EmailSentResponse> {
    await this.emails.request(requireUser(actor), body, address);
    return EMAIL_SENT;
  }
}

/** Sets the session cookies on the response, and returns the session's user. */
export function setCookies(response: Response, { user, cookies }: SignIn): SignedInResponse {
  response.append('Set-Cookie', cookies);
  return { user: UserResponse.of(user) };
}
