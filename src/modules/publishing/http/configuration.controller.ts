import {
  Body,
  Controller,
  Delete,
  Get,
  Headers,
  HttpCode,
  Param,
  Post,
  Put,
  Query,
  Req,
  Res,
} from '@nestjs/common';
import {
  ApiAcceptedResponse,
  ApiBody,
  ApiConflictResponse,
  ApiForbiddenResponse,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiPreconditionFailedResponse,
  ApiProperty,
  ApiTags,
} from '@nestjs/swagger';
import type { Response } from 'express';
import { DomainError, fieldErrors } from '../../../platform/errors/domain-error.js';
import { IfMatchHeader } from '../../../platform/http/entity-tag.js';
import { resolveBaseUrl } from '../../../platform/network/base-url.js';
import { ApiBodyExample } from '../../../platform/openapi/api-description.js';
import { InjectSettings } from '../../../platform/settings/inject-settings.js';
import { type ServiceSettings, serviceSettings } from '../../../platform/settings/service.settings.js';
import {
  type AccessedRequest,
  CurrentAuthor,
  CurrentProject,
  ProjectRole,
} from '../../access/access.decorators.js';
import { AccessService } from '../../access/access.service.js';
import type { Author } from '../../audit/domain/author.js';
import { GEO_TARGETING_TIERS } from '../../licensing/domain/catalogue.js';
import type { TierCheck } from '../../licensing/domain/tier-required.js';
import { CurrentTierCheck, LeaveTierToUseCase, RequireTier } from '../../licensing/tier.guard.js';
import type { Project } from '../../projects/domain/project.js';
import {
  ConfigurationService,
  type ConfigurationView,
  type ExpectedVersion,
} from '../application/configuration.service.js';
import { DraftService } from '../application/draft.service.js';
import { blockingPolicy } from '../domain/blocking.js';
import type { Draft } from '../domain/configuration.js';
import type { MissingTexts } from '../domain/missing-texts.js';
import { VISITOR_BYTES_MAX, type VisitorBytes } from '../domain/visitor-files.js';
import {
  BlockingPolicyResponse,
  ConfigurationBody,
  ConfigurationContentResponse,
  configurationOf,
  configurationPresets,
  ConfigurationResponse,
  presentConfiguration,
  PresetsQuery,
  PresetsResponse,
  PublishRequestedResponse,
  RollBackBody,
  SaveConfigurationBody,
  SaveDraftBody,
} from './configuration.dto.js';
import { authorsOf, ConfigurationChangeResponse, SiteDocumentResponse } from './publication.dto.js';

/** A project's saved and published configuration (design §5). */
@ApiTags('Publishing')
@ApiParam({ name: 'projectId', format: 'uuid' })
@Controller('v1/projects/:projectId')
export class ConfigurationController {
  constructor(
    private readonly configurations: ConfigurationService,
    private readonly access: AccessService,
    @InjectSettings(serviceSettings) private readonly service: ServiceSettings,
  ) {}

  /** On every tier; before the first save it is the default, with version 0. */
  @Get('configuration')
  @ProjectRole('viewer')
  @ApiOperation({ summary: 'Read the banner configuration' })
  @ApiOkResponse({ type: ConfigurationResponse })
  async read(
    @CurrentProject() project: Project,
    @Res({ passthrough: true }) response: Response,
  ): Promise<ConfigurationResponse> {
    return this.answer(response, await this.configurations.read(project));
  }

  /** The same for every project: texts by language, and region rules by law. */
  @Get('configuration/presets')
  @ProjectRole('viewer')
  @ApiOperation({ summary: 'Read default configurations and texts' })
  @ApiOkResponse({ type: PresetsResponse })
  presets(@Query() query: PresetsQuery): PresetsResponse {
    return configurationPresets(query);
  }

  /** Made of the saved blocking rules, whether or not blocking is on (docs/scans.md). */
  @Get('configuration/content-security-policy')
  @ProjectRole('viewer')
  @ApiOperation({ summary: 'Read a Content-Security-Policy made of the blocking rules' })
  @ApiOkResponse({ type: BlockingPolicyResponse })
  async contentSecurityPolicy(@CurrentProject() project: Project): Promise<BlockingPolicyResponse> {
    const { configuration } = await this.configurations.read(project);
    return blockingPolicy(configuration.blocking.rules, resolveBaseUrl(this.service));
  }

  /**
   * Replaces the configuration; the service publishes it within seconds. 412 `version_conflict` where If-Match
   * names another version, 403 `tier_required` for new region rules on a tier without geo-targeting, 409
   * `texts_incomplete` (with `missingTexts`, as in a preview) where languages of our banner lack texts.
   */
  @Put('configuration')
  @ProjectRole('editor')
  @RequireTier(...GEO_TARGETING_TIERS)
  @LeaveTierToUseCase()
  @IfMatchHeader()
  @ApiBodyExample({ policyVersion: '2026-11', defaultMode: 'opt_in', banner: { enabled: true } })
  @ApiConflictResponse({ description: '`publication_limit_reached`, `texts_incomplete`' })
  @ApiOperation({ summary: 'Save and publish the banner configuration' })
  @ApiOkResponse({ type: ConfigurationResponse })
  @ApiPreconditionFailedResponse({ description: 'version_conflict: someone else saved the configuration.' })
  @ApiForbiddenResponse({ description: 'tier_required: region rules require a tier with geo-targeting.' })
  async save(
    @CurrentProject() project: Project,
    @Body() body: SaveConfigurationBody,
    @Headers('if-match') ifMatch: string | undefined,
    @CurrentAuthor() author: Author,
    @CurrentTierCheck() requireTier: TierCheck,
    @Req() request: AccessedRequest,
    @Res({ passthrough: true }) response: Response,
  ): Promise<ConfigurationResponse> {
    // Every member is optional, so a missing body would delete the configuration.
    requireBody(request);
    const by = { project, author, requireTier };
    const { comment = null, draftVersion = null, confirmMissingTexts = false } = body;
    const configuration = configurationOf(body);
    const requested = { configuration, comment, draftVersion, confirmMissingTexts };
    return this.answer(response, await this.configurations.save(by, requested, expected(ifMatch)));
  }

  /** 202: the configuration will be published again; `GET …/publications` shows when. */
  @Post('publish')
  @HttpCode(202)
  @ProjectRole('editor')
  @ApiOperation({ summary: 'Publish the banner configuration again' })
  @ApiAcceptedResponse({ type: PublishRequestedResponse })
  async publish(
    @CurrentProject() project: Project,
    @CurrentAuthor() author: Author,
  ): Promise<PublishRequestedResponse> {
    await this.configurations.publish(project.id, author);
    return { queued: true };
  }

  /** Saves the configuration of an earlier publication as the newest one; it is published in a moment. */
  @Post('publications/:version/rollback')
  @HttpCode(200)
  @ProjectRole('editor')
  @IfMatchHeader()
  @ApiBody({ type: RollBackBody, required: false })
  @ApiBodyExample({ comment: 'The words of October again' })
  @ApiConflictResponse({ description: '`publication_limit_reached`' })
  @ApiOperation({ summary: 'Roll back to an earlier publication' })
  @ApiOkResponse({ type: ConfigurationResponse })
  async rollBack(
    @CurrentProject() project: Project,
    @CurrentAuthor() author: Author,
    @Param('version') version: string,
    @Body() body: RollBackBody,
    @Headers('if-match') ifMatch: string | undefined,
    @Res({ passthrough: true }) response: Response,
  ): Promise<ConfigurationResponse> {
    const requested = { version, comment: body.comment ?? null };
    return this.answer(
      response,
      await this.configurations.rollBack({ project, author }, requested, expected(ifMatch)),
    );
  }

  private async answer(response: Response, view: ConfigurationView): Promise<ConfigurationResponse> {
    response.setHeader('ETag', `"${view.version}"`);
    const { lastPublication } = view;
    const names = await this.access.namesOf(authorsOf(lastPublication ? [lastPublication] : []));
    return presentConfiguration(view, names);
  }
}

/**
 * @throws DomainError `validation_failed` for a missing body, which would count as one without
 * members.
 */
function requireBody({ body, headers }: AccessedRequest): void {
  if (typeof body !== 'object' || body === null || headers['content-length'] === '0')
    throw fieldErrors([{ field: '', message: 'Send one JSON object.' }]);
}

/** @throws DomainError `version_conflict` for a tag that no configuration ever had. */
function expected(ifMatch: string | undefined): ExpectedVersion {
  if (ifMatch === undefined || ifMatch.trim() === '*') return null;
  const version = /^\s*"?(\d{1,15})"?\s*$/.exec(ifMatch)?.[1];
  if (version === undefined)
    throw new DomainError('version_conflict', 'Send the ETag of the configuration as If-Match, unchanged.');
  return Number(version);
}

class DraftResponse implements Draft {
  @ApiProperty({
    description: 'Number of draft changes, as in the ETag; 0: there was never a draft',
    example: 2,
  })
  version!: number;
  @ApiProperty({ type: ConfigurationContentResponse, nullable: true, description: 'null: no draft' })
  configuration!: ConfigurationContentResponse | null;
  @ApiProperty({
    type: Number,
    nullable: true,
    description: 'Version of the configuration that the draft is based on; null: no draft',
  })
  basedOn!: number | null;
  @ApiProperty({ type: Date, nullable: true, example: '2026-12-01T09:30:00.000Z' }) updatedAt!: Date | null;
}

class VisitorBytesResponse implements VisitorBytes {
  @ApiProperty({ example: 'de' }) language!: string;
  @ApiProperty({ description: 'Configuration and texts of this language, gzipped', example: 2300 })
  bytes!: number;
}

class MissingTextsResponse implements MissingTexts {
  @ApiProperty({ example: 'fa' }) language!: string;
  @ApiProperty({ type: [String], example: ['description', 'categories.analytics.title', 'labels.close'] })
  fields!: string[];
}

class PreviewResponse extends SiteDocumentResponse {
  @ApiProperty({ description: 'Region rules exist, but the tier does not include them', example: false })
  regionRulesLeftOut!: boolean;
  @ApiProperty({
    type: [ConfigurationChangeResponse],
    description: 'Differences from the saved configuration',
  })
  changes!: ConfigurationChangeResponse[];
  @ApiProperty({
    type: [VisitorBytesResponse],
    description: 'What visitors download before the banner is visible, by language',
  })
  visitorBytes!: VisitorBytesResponse[];
  @ApiProperty({ description: 'The recommended maximum', example: VISITOR_BYTES_MAX })
  visitorBytesMax!: number;
  @ApiProperty({
    type: [MissingTextsResponse],
    description:
      'Texts that visitors would see in another language; publishing them needs `confirmMissingTexts`',
  })
  missingTexts!: MissingTextsResponse[];
}

/** An editor's unpublished draft, and its preview. */
@ApiTags('Publishing')
@ApiParam({ name: 'projectId', format: 'uuid' })
@Controller('v1/projects/:projectId/configuration')
export class DraftController {
  constructor(private readonly drafts: DraftService) {}

  /** Shared by all members of the project; `configuration` is null without one. */
  @Get('draft')
  @ProjectRole('viewer')
  @ApiOperation({ summary: 'Read the draft' })
  @ApiOkResponse({ type: DraftResponse })
  async read(
    @CurrentProject() project: Project,
    @Res({ passthrough: true }) response: Response,
  ): Promise<DraftResponse> {
    return answer(response, await this.drafts.read(project.id));
  }

  /** Keeps a whole configuration without publishing it. `PUT …/configuration` with its `draftVersion` publishes it. */
  @Put('draft')
  @ProjectRole('editor')
  @IfMatchHeader()
  @ApiBodyExample({ policyVersion: '2026-12', basedOn: 1 })
  @ApiOperation({ summary: 'Save the draft' })
  @ApiOkResponse({ type: DraftResponse })
  @ApiPreconditionFailedResponse({ description: 'version_conflict: someone else saved the draft.' })
  async save(
    @CurrentProject() project: Project,
    @Body() body: SaveDraftBody,
    @Headers('if-match') ifMatch: string | undefined,
    @CurrentAuthor() author: Author,
    @Res({ passthrough: true }) response: Response,
  ): Promise<DraftResponse> {
    const requested = { configuration: configurationOf(body), basedOn: body.basedOn };
    const by = { projectId: project.id, author };
    return answer(response, await this.drafts.save(by, requested, expected(ifMatch)));
  }

  @Delete('draft')
  @HttpCode(204)
  @ProjectRole('editor')
  @IfMatchHeader()
  @ApiOperation({ summary: 'Discard the draft' })
  @ApiNoContentResponse()
  @ApiPreconditionFailedResponse({ description: 'version_conflict: someone else saved the draft.' })
  async discard(
    @CurrentProject() project: Project,
    @Headers('if-match') ifMatch: string | undefined,
    @CurrentAuthor() author: Author,
  ): Promise<void> {
    await this.drafts.discard({ projectId: project.id, author }, expected(ifMatch));
  }

  /** The document that would be published, and its differences from the saved one. Nothing is stored. */
  @Post('preview')
  @HttpCode(200)
  @ProjectRole('viewer')
  @ApiBodyExample({ policyVersion: '2026-12', defaultMode: 'opt_in' })
  @ApiOperation({ summary: 'Render a configuration without saving it' })
  @ApiOkResponse({ type: PreviewResponse })
  async preview(
    @CurrentProject() project: Project,
    @Body() body: ConfigurationBody,
    @Req() request: AccessedRequest,
  ): Promise<PreviewResponse> {
    requireBody(request);
    const preview = await this.drafts.preview(project, configurationOf(body));
    const { document, regionRulesLeftOut, changes, visitorBytes, missingTexts } = preview;
    return {
      document,
      regionRulesLeftOut,
      changes,
      visitorBytes,
      visitorBytesMax: VISITOR_BYTES_MAX,
      missingTexts,
    };
  }
}

function answer(response: Response, draft: Draft): DraftResponse {
  response.setHeader('ETag', `"${draft.version}"`);
  return draft;
}
