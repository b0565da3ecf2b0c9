import { Body, Controller, Header, HttpCode, Post, Res, UseGuards } from '@nestjs/common';
import { ApiConflictResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ApiBodyExample, ApiSuccessHeaders } from '../../../platform/openapi/api-description.js';
import type { Response } from 'express';
import { fieldErrors } from '../../../platform/errors/domain-error.js';
import { CurrentActor, SignedIn, SessionOnly } from '../access.decorators.js';
import { Public } from '../../../platform/http/public.decorator.js';
import { SecondFactorService } from '../application/second-factor.service.js';
import { type Actor, requireUser } from '../domain/actor.js';
import type { SignInClient } from '../domain/client.js';
import { setCookies } from './auth.controller.js';
import { PasswordBody, SignedInResponse, SignedOutResponse } from './auth.dto.js';
import { CurrentClient } from './current-client.decorator.js';
import { OwnRequestGuard } from './own-request.guard.js';
import {
  BegunSecondFactorResponse,
  CodeBody,
  RecoveryCodesResponse,
  SecondFactorBody,
} from './second-factor.dto.js';

/** A second factor beside the password: codes of an authenticator (TOTP) and recovery codes (docs/accounts.md). */
@ApiTags('Sign-in')
@ApiSuccessHeaders('Set-Cookie')
@UseGuards(OwnRequestGuard)
@Controller('v1/auth')
export class SecondFactorController {
  constructor(private readonly factors: SecondFactorService) {}

  /**
   * Returns the URI for an authenticator and recovery codes, only here. Sign-ins require the factor
   * only after `confirm`.
   */
  @SignedIn()
  @SessionOnly()
  @ApiBodyExample({ password: 'correct horse battery' })
  @ApiConflictResponse({ description: '`second_factor_enabled`' })
  @ApiOperation({ summary: 'Start setting up 2FA' })
  @ApiOkResponse({ type: BegunSecondFactorResponse })
  @HttpCode(200)
  @Post('second-factor')
  begin(
    @CurrentActor() actor: Actor,
    @Body() { password }: PasswordBody,
    @CurrentClient() client: SignInClient,
  ): Promise<BegunSecondFactorResponse> {
    return this.factors.begin(requireUser(actor), password, client);
  }

  /** Each sign-in requires a code from now on; renews the session. 401 `second_factor_invalid`. */
  @SignedIn()
  @SessionOnly()
  @ApiBodyExample({ code: '123456' })
  @ApiConflictResponse({ description: '`second_factor_missing`' })
  @ApiOperation({ summary: 'Turn on 2FA with a code' })
  @ApiOkResponse({ type: SignedInResponse })
  @HttpCode(200)
  @Post('second-factor/confirm')
  async confirm(
    @CurrentActor() actor: Actor,
    @Body() { code }: CodeBody,
    @CurrentClient() client: SignInClient,
    @Res({ passthrough: true }) response: Response,
  ): Promise<SignedInResponse> {
    return setCookies(response, await this.factors.confirm(requireUser(actor), code, client));
  }

  /** Renews the session. Projects that require a second factor are inaccessible from now on. */
  @SignedIn()
  @SessionOnly()
  @ApiBodyExample({ password: 'correct horse battery' })
  @ApiOperation({ summary: 'Turn off 2FA' })
  @ApiOkResponse({ type: SignedOutResponse })
  @HttpCode(200)
  @Post('second-factor/disable')
  async disable(
    @CurrentActor() actor: Actor,
    @Body() { password }: PasswordBody,
    @CurrentClient() client: SignInClient,
    @Res({ passthrough: true }) response: Response,
  ): Promise<SignedOutResponse> {
    const cookies = await this.factors.disable(requireUser(actor), password, client);
    response.append('Set-Cookie', cookies);
    return { success: true };
  }

  /** The previous codes become invalid. */
  @SignedIn()
  @SessionOnly()
  @ApiBodyExample({ password: 'correct horse battery' })
  @ApiConflictResponse({ description: '`second_factor_missing`' })
  @ApiOperation({ summary: 'Replace the recovery codes' })
  @ApiOkResponse({ type: RecoveryCodesResponse })
  @HttpCode(200)
  @Post('second-factor/recovery-codes')
  async recoveryCodes(
    @CurrentActor() actor: Actor,
    @Body() { password }: PasswordBody,
    @CurrentClient() client: SignInClient,
  ): Promise<RecoveryCodesResponse> {
    return { recoveryCodes: await this.factors.replaceRecoveryCodes(requireUser(actor), password, client) };
  }

  /**
   * Opens the session for which `sign-in/email` requested a second factor, within ten minutes. 401
   * `second_factor_invalid`; 429 after five wrong codes for one password, or ten in a row for an
   * account.
   */
  @Public()
  @ApiBodyExample({ code: '123456' })
  @ApiOperation({ summary: 'Complete a sign-in with a 2FA code' })
  @ApiOkResponse({ type: SignedInResponse })
  @HttpCode(200)
  @Header('Cache-Control', 'no-store')
  @Post('sign-in/second-factor')
  async signIn(
    @Body() { code, recoveryCode }: SecondFactorBody,
    @CurrentClient() client: SignInClient,
    @Res({ passthrough: true }) response: Response,
  ): Promise<SignedInResponse> {
    if ((code === undefined) === (recoveryCode === undefined)) {
      throw fieldErrors([{ field: 'code', message: 'Send either a code or a recovery code, not both.' }]);
    }
    const factor = code !== undefined ? { code } : { recoveryCode: recoveryCode ?? '' };
    const opened = await this.factors.signIn(factor, client);
    return setCookies(response, opened);
  }
}
