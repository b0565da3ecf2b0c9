import { Body, Controller, Delete, Get, Header, Headers, HttpCode, Post, Put, Res } from '@nestjs/common';
import {
  ApiConflictResponse,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiTags,
} from '@nestjs/swagger';
import type { Response } from 'express';
import { entityTag, IfMatchHeader, requireMatch } from '../../../platform/http/entity-tag.js';
import { ApiBodyExample, ApiSuccessHeaders } from '../../../platform/openapi/api-description.js';
import { CurrentAuthor, CurrentProject, ProjectRole } from '../../access/access.decorators.js';
import type { Author } from '../../audit/domain/author.js';
import { FORWARDING_TIERS } from '../../licensing/domain/catalogue.js';
import type { TierCheck } from '../../licensing/domain/tier-required.js';
import { CurrentTierCheck, LeaveTierToUseCase, RequireTier } from '../../licensing/tier.guard.js';
import type { Project } from '../../projects/domain/project.js';
import { EndpointTestService } from '../application/endpoint-test.service.js';
import {
  ForwardingSettingsService,
  SigningSecretService,
  type TaggedSettings,
} from '../application/forwarding-settings.service.js';
import { HoldService } from '../application/hold.service.js';
import { createBearerToken } from '../domain/settings-change.js';
import {
  BearerTokenResponse,
  EndpointTestResultResponse,
  ForwardingSettingsResponse,
  SaveForwardingBody,
  SigningSecretResponse,
} from './forwarding.dto.js';

/** Forwarding settings of a project (spec §2.2, §4.2). */
@ApiTags('Forwarding')
@ApiParam({ name: 'projectId', format: 'uuid' })
@Controller('v1/projects/:projectId/forwarding')
export class ForwardingController {
  constructor(
    private readonly settings: ForwardingSettingsService,
    private readonly endpointTest: EndpointTestService,
    private readonly holds: HoldService,
  ) {}

  /** Works on every tier, so that the dashboard can show the benefit of an upgrade. */
  @Get()
  @ProjectRole('viewer')
  @ApiOperation({ summary: 'Read the forwarding settings' })
  @ApiOkResponse({ type: ForwardingSettingsResponse })
  async read(
    @CurrentProject() project: Project,
    @Res({ passthrough: true }) response: Response,
  ): Promise<ForwardingSettingsResponse> {
    return answer(response, await this.settings.read(project.id));
  }

  /**
   * 422 `validation_failed` names the refused fields, such as a URL that is not https (spec §7). `{ enabled:
   * false }` keeps endpoint, mode and token. Turning forwarding off and removing endpoint and token work on
   * every tier; the use case checks this. 412 `version_conflict` if If-Match names another version.
   */
  @Put()
  @IfMatchHeader()
  @ProjectRole('editor')
  @RequireTier(...FORWARDING_TIERS)
  @LeaveTierToUseCase(isSwitchedOff)
  @ApiBodyExample({ enabled: true, endpointUrl: 'https://consents.example.com/hook', authMode: 'bearer' })
  @ApiOperation({ summary: 'Save the forwarding settings' })
  @ApiOkResponse({ type: ForwardingSettingsResponse })
  async save(
    @CurrentProject() project: Project,
    @CurrentAuthor() author: Author,
    @CurrentTierCheck() requireTier: TierCheck,
    @Body() body: SaveForwardingBody,
    @Headers('if-match') ifMatch: string | undefined,
    @Res({ passthrough: true }) response: Response,
  ): Promise<ForwardingSettingsResponse> {
    const by = { projectId: project.id, author, requireTier };
    const saved = await this.settings.save(by, body, (stored) => requireMatch(ifMatch, settingsTag(stored)));
    return answer(response, saved);
  }

  /** The token is shown once and not stored; saving it is a second request (spec §5.2, §5.3). */
  @Post('token')
  @HttpCode(200)
  @Header('Cache-Control', 'no-store')
  @ProjectRole('editor')
  @ApiOperation({ summary: 'Generate a random bearer token without saving it' })
  @ApiOkResponse({ type: BearerTokenResponse })
  makeToken(): BearerTokenResponse {
    return { bearerToken: createBearerToken() };
  }

  /**
   * Sends the oldest waiting record now. The response is that of a read, also if nothing is held;
   * it does not wait for a probe in progress.
   */
  @Post('resume')
  @HttpCode(200)
  @ProjectRole('editor')
  @ApiSuccessHeaders('ETag')
  @ApiOperation({ summary: 'Probe the endpoint of a held project now' })
  @ApiOkResponse({ type: ForwardingSettingsResponse })
  async resume(
    @CurrentProject() project: Project,
    @CurrentAuthor() author: Author,
    @Res({ passthrough: true }) response: Response,
  ): Promise<ForwardingSettingsResponse> {
    await this.holds.resume(project.id, author);
    return answer(response, await this.settings.read(project.id));
  }

  /**
   * 200 also if the endpoint refused; the body has the outcome. 409 without an endpoint, 429 if called too often.
   */
  @Post('test')
  @HttpCode(200)
  @ProjectRole('editor')
  @RequireTier(...FORWARDING_TIERS)
  @ApiConflictResponse({ description: '`endpoint_not_configured`' })
  @ApiOperation({ summary: 'Send a synthetic consent record to the configured endpoint' })
  @ApiOkResponse({ type: EndpointTestResultResponse })
  test(@CurrentProject() project: Project): Promise<EndpointTestResultResponse> {
    return this.endpointTest.run(project.id);
  }
}

function answer(response: Response, settings: ForwardingSettingsResponse): ForwardingSettingsResponse {
  response.setHeader('ETag', settingsTag(settings));
  return settings;
}

function isSwitchedOff(body: unknown): boolean {
  return typeof body === 'object' && body !== null && 'enabled' in body && body.enabled === false;
}

/** The entity tag of the settings; failures and deliveries do not change it. */
function settingsTag(settings: TaggedSettings): string {
  const {
    enabled,
    endpointUrl,
    allowCustomEndpoint,
    forwardErasures,
    retryFailures,
    keepResponseBodies,
    authMode,
    tokenUpdatedAt,
  } = settings;
  const tokenMs = tokenUpdatedAt?.getTime() ?? null;
  return entityTag({
    enabled,
    endpointUrl,
    allowCustomEndpoint,
    forwardErasures,
    retryFailures,
    keepResponseBodies,
    authMode,
    tokenMs,
  });
}

/** The secret that signs requests to a project's endpoint. Like removing a token, it needs no tier. */
@ApiTags('Forwarding')
@ApiParam({ name: 'projectId', format: 'uuid' })
@Controller('v1/projects/:projectId/forwarding/signing-secret')
export class SigningSecretController {
  constructor(private readonly secrets: SigningSecretService) {}

  /** The secret is used at once and shown once; a previous one also signs for seven days. */
  @Post()
  @HttpCode(200)
  @Header('Cache-Control', 'no-store')
  @ProjectRole('editor')
  @ApiOperation({ summary: 'Create or rotate the signing secret' })
  @ApiOkResponse({ type: SigningSecretResponse })
  make(@CurrentProject() project: Project, @CurrentAuthor() author: Author): Promise<SigningSecretResponse> {
    return this.secrets.make(project.id, author, new Date());
  }

  /** 204 also without a former secret. */
  @Delete('former')
  @HttpCode(204)
  @ProjectRole('editor')
  @ApiOperation({ summary: 'Retire the old signing secret' })
  @ApiNoContentResponse()
  async forgetFormer(@CurrentProject() project: Project, @CurrentAuthor() author: Author): Promise<void> {
    await this.secrets.forgetFormer(project.id, author);
  }

  /** 204 also if requests were not signed. */
  @Delete()
  @HttpCode(204)
  @ProjectRole('editor')
  @ApiOperation({ summary: 'Remove the signing secret and stop signing requests' })
  @ApiNoContentResponse()
  async remove(@CurrentProject() project: Project, @CurrentAuthor() author: Author): Promise<void> {
    await this.secrets.remove(project.id, author);
  }
}
