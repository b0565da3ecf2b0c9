import { Body, Controller, Get, Header, HttpCode, Post, Put, Res, UseGuards } from '@nestjs/common';
import { ApiConflictResponse, ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { fieldErrors } from '../../../platform/errors/domain-error.js';
import { Public } from '../../../platform/http/public.decorator.js';
import { ApiBodyExample, ApiSuccessHeaders } from '../../../platform/openapi/api-description.js';
import type { Project } from '../../projects/domain/project.js';
import { CurrentActor, CurrentProject, ProjectRole, SessionOnly, SignedIn } from '../access.decorators.js';
import { SecondFactorService, SignInPolicyService } from '../application/second-factor.service.js';
import { type Actor, requireUser } from '../domain/actor.js';
import type { SignInClient } from '../domain/session.js';
import { setCookies } from './auth.controller.js';
import {
  BegunSecondFactorResponse,
  CodeBody,
  PasswordBody,
  RecoveryCodesResponse,
  SecondFactorBody,
  SignedInResponse,
  SignedOutResponse,
  SignInPolicyBody,
} from './auth.dto.js';
import { CurrentClient } from './current-client.decorator.js';
import { OwnRequestGuard } from './own-request.guard.js';

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

/** A project's requirements for its members' sign-in. */
@ApiTags('Members')
@ApiParam({ name: 'projectId', format: 'uuid' })
@Controller('v1/projects/:projectId/sign-in-policy')
export class SignInPolicyController {
  constructor(private readonly policies: SignInPolicyService) {}

  @ProjectRole('viewer')
  @ApiOperation({ summary: 'Read whether members need 2FA' })
  @ApiOkResponse({ type: SignInPolicyBody })
  @Get()
  read(@CurrentProject() project: Project): Promise<SignInPolicyBody> {
    return this.policies.read(project.id);
  }

  /**
   * When required, members without a second factor get 403 `second_factor_required`; API keys are
   * exempt. Requires a session: an API key gets 403 `session_required`, a session without a second
   * factor 409 `second_factor_missing`.
   */
  @ProjectRole('owner')
  @SessionOnly()
  @ApiBodyExample({ secondFactorRequired: false })
  @ApiConflictResponse({ description: '`second_factor_missing`' })
  @ApiOperation({ summary: 'Change whether members need 2FA' })
  @ApiOkResponse({ type: SignInPolicyBody })
  @Put()
  save(
    @CurrentProject() project: Project,
    @CurrentActor() actor: Actor,
    @Body() body: SignInPolicyBody,
  ): Promise<SignInPolicyBody> {
    return this.policies.save(project.id, body, actor);
  }
}
