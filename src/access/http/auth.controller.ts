import { Body, Controller, Get, Header, HttpCode, Post, Req, Res, UseGuards } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags, ApiExtraModels, refs } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { CurrentActor, Public, SignedIn } from '../access.decorators.js';
import type { Actor } from '../domain/actor.js';
import { PasswordService } from '../application/password.service.js';
import { type SignIn, SignInService } from '../application/sign-in.service.js';
import { SecondFactorNeededDto } from './second-factor.dto.js';
import { OwnRequestGuard } from './own-request.guard.js';
import { requireUser } from '../domain/actor.js';
import {
  ChangePasswordBody,
  SessionDto,
  SignedInDto,
  SignedOutDto,
  SignInBody,
  UserDto,
} from './auth.dto.js';

/**
 * Signing in by e-mail and password (design §5). The session is an HttpOnly cookie; its token never stands
 * in a body. Requests from other sites' pages get 403 `csrf_refused`, too many attempts 429.
 */
@ApiTags('Sign-in')
@UseGuards(OwnRequestGuard)
@Controller('v1/auth')
export class AuthController {
  constructor(
    private readonly signIns: SignInService,
    private readonly passwords: PasswordService,
  ) {}

  /**
   * Answers `{ user }` and sets the session cookie; or `{ secondFactorRequired: true }`, and the cookie is good for
   * `sign-in/second-factor` alone. 401 `invalid_credentials`.
   */
  @Public()
  @ApiOperation({ summary: 'Open a session' })
  @ApiExtraModels(SignedInDto, SecondFactorNeededDto)
  @ApiOkResponse({ schema: { oneOf: refs(SignedInDto, SecondFactorNeededDto) } })
  @HttpCode(200)
  @Header('Cache-Control', 'no-store')
  @Post('sign-in/email')
  async signIn(
    @Body() body: SignInBody,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<SignedInDto | SecondFactorNeededDto> {
    const outcome = await this.signIns.signIn(body, request.ip ?? '');
    if (outcome.kind === 'signed_in') return setCookies(response, outcome);
    response.append('Set-Cookie', outcome.cookies);
    return { secondFactorRequired: true };
  }

  /** Ends the session of the cookie, in the database too; also answers 200 where there is none. */
  @Public()
  @ApiOperation({ summary: 'End the session' })
  @ApiOkResponse({ type: SignedOutDto })
  @HttpCode(200)
  @Header('Cache-Control', 'no-store')
  @Post('sign-out')
  async signOut(
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<SignedOutDto> {
    response.append('Set-Cookie', await this.signIns.signOut(request.headers.cookie));
    return { success: true };
  }

  /** Answers `{ session: { expiresAt }, user }`, or `null` without a valid session; prolongs an older session. */
  @Public()
  @ApiOperation({ summary: 'The session of the cookie, or null' })
  @ApiExtraModels(SessionDto)
  @ApiOkResponse({ schema: { nullable: true, allOf: refs(SessionDto) } })
  @Get('get-session')
  async session(@Req() request: Request, @Res() response: Response): Promise<void> {
    const { session, cookies } = await this.signIns.renew(request.headers.cookie);
    response.append('Set-Cookie', cookies).setHeader('Cache-Control', 'no-store');
    response.json(session && { ...session, user: UserDto.of(session.user) });
  }

  /**
   * Sets a new password, ends all other sessions of the user, renews this one and tells her by mail; 401
   * `invalid_credentials`.
   */
  @SignedIn()
  @ApiOperation({ summary: 'Change the password and end all other sessions' })
  @ApiOkResponse({ type: SignedInDto })
  @HttpCode(200)
  @Header('Cache-Control', 'no-store')
  @Post('change-password')
  async changePassword(
    @CurrentActor() actor: Actor,
    @Body() body: ChangePasswordBody,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<SignedInDto> {
    const { userId } = requireUser(actor);
    const renewed = await this.signIns.changePassword(userId, body, request.headers.cookie);
    await this.passwords.tellChanged(requireUser(actor));
    return setCookies(response, renewed);
  }
}

/** Sets the cookies of a session on the answer, and tells whose it is. */
export function setCookies(response: Response, { user, cookies }: SignIn): SignedInDto {
  response.append('Set-Cookie', cookies);
  return { user: UserDto.of(user) };
}
