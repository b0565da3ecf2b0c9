import { Body, Controller, Get, Headers, HttpCode, Param, Post, Put, Query, Req, Res } from '@nestjs/common';
import {
  ApiAcceptedResponse,
  ApiForbiddenResponse,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiPreconditionFailedResponse,
  ApiTags,
} from '@nestjs/swagger';
import type { Response } from 'express';
import {
  type AccessedRequest,
  CurrentAuthor,
  CurrentProject,
  ProjectRole,
} from '../../access/access.decorators.js';
import type { Author } from '../../audit/domain/author.js';
import type { Role } from '../../access/domain/role.js';
import type { Project } from '../../projects/domain/project.js';
import { IfMatchHeader } from '../../shared/entity-tag.js';
import { DomainError, fieldErrors } from '../../shared/domain-error.js';
import { PageQuery } from '../../shared/page-query.js';
import {
  ConfigurationService,
  type ConfigurationView,
  type ExpectedVersion,
} from '../application/configuration.service.js';
import { configurationOf, SaveConfigurationDto } from './configuration.dto.js';
import {
  CONFIGURATION_PRESETS,
  ConfigurationDto,
  ConfigurationPresetsDto,
  presentConfiguration,
  PublicationPageDto,
  PublishRequestedDto,
} from './configuration-view.dto.js';

/** What a project publishes for its site, and what it has published (design §5). */
@ApiTags('Publishing')
@ApiParam({ name: 'projectId', format: 'uuid' })
@Controller('v1/projects/:projectId')
export class ConfigurationController {
  constructor(private readonly configurations: ConfigurationService) {}

  /** On every tier; before the first save it is the default, with version 0. */
  @Get('configuration')
  @ProjectRole('viewer')
  @ApiOperation({ summary: 'Read the configuration of the banner' })
  @ApiOkResponse({ type: ConfigurationDto })
  async read(
    @CurrentProject() project: Project,
    @Res({ passthrough: true }) response: Response,
  ): Promise<ConfigurationDto> {
    return answer(response, await this.configurations.read(project));
  }

  /** The same for every project: words in ten languages, and region rules by law. */
  @Get('configuration/presets')
  @ProjectRole('viewer')
  @ApiOperation({ summary: 'What a configuration may begin with' })
  @ApiOkResponse({ type: ConfigurationPresetsDto })
  presets(): ConfigurationPresetsDto {
    return CONFIGURATION_PRESETS;
  }

  /**
   * Replaces the configuration; it is published by itself, in a moment. 412 `version_conflict` where If-Match
   * names another version, 403 `tier_required` for new region rules on a tier without geo-targeting.
   */
  @Put('configuration')
  @ProjectRole('editor')
  @IfMatchHeader()
  @ApiOperation({ summary: 'Save the configuration of the banner' })
  @ApiOkResponse({ type: ConfigurationDto })
  @ApiPreconditionFailedResponse({ description: 'version_conflict: somebody has saved meanwhile.' })
  @ApiForbiddenResponse({ description: 'tier_required: region rules need a tier with geo-targeting.' })
  async save(
    @CurrentProject() project: Project,
    @Body() body: SaveConfigurationDto,
    @Headers('if-match') ifMatch: string | undefined,
    @CurrentAuthor() author: Author,
    @Req() request: AccessedRequest,
    @Res({ passthrough: true }) response: Response,
  ): Promise<ConfigurationDto> {
    // Every member may be absent, so no body at all would pass for one, and wipe out what is there.
    const { body: sent, headers } = request;
    if (typeof sent !== 'object' || sent === null || headers['content-length'] === '0') {
      throw fieldErrors([{ field: '', message: 'Send one JSON object.' }]);
    }
    const by = { project, role: request.role as Role, author };
    return answer(response, await this.configurations.save(by, configurationOf(body), expected(ifMatch)));
  }

  /** 202: it is going to be published once more; `GET …/publications` tells when it was. */
  @Post('publish')
  @HttpCode(202)
  @ProjectRole('editor')
  @ApiOperation({ summary: 'Publish the configuration once more' })
  @ApiAcceptedResponse({ type: PublishRequestedDto })
  async publish(
    @CurrentProject() project: Project,
    @CurrentAuthor() author: Author,
  ): Promise<PublishRequestedDto> {
    await this.configurations.publish(project.id, author);
    return { queued: true };
  }

  @Get('publications')
  @ProjectRole('viewer')
  @ApiOperation({ summary: 'List what was published, newest first' })
  @ApiOkResponse({ type: PublicationPageDto })
  publications(@CurrentProject() project: Project, @Query() query: PageQuery): Promise<PublicationPageDto> {
    return this.configurations.publications(project.id, query);
  }

  /** Saves the configuration of an earlier publication as the newest one; it is published in a moment. */
  @Post('publications/:version/rollback')
  @HttpCode(200)
  @ProjectRole('editor')
  @IfMatchHeader()
  @ApiOperation({ summary: 'Go back to an earlier publication' })
  @ApiOkResponse({ type: ConfigurationDto })
  async rollBack(
    @CurrentProject() project: Project,
    @CurrentAuthor() author: Author,
    @Param('version') version: string,
    @Headers('if-match') ifMatch: string | undefined,
    @Res({ passthrough: true }) response: Response,
  ): Promise<ConfigurationDto> {
    return answer(
      response,
      await this.configurations.rollBack({ project, author }, version, expected(ifMatch)),
    );
  }
}

function answer(response: Response, view: ConfigurationView): ConfigurationDto {
  response.setHeader('ETag', `"${view.version}"`);
  return presentConfiguration(view);
}

/** @throws DomainError `version_conflict` for a tag that no configuration ever had. */
function expected(ifMatch: string | undefined): ExpectedVersion {
  if (ifMatch === undefined || ifMatch.trim() === '*') return null;
  const version = /^\s*"?(\d{1,15})"?\s*$/.exec(ifMatch)?.[1];
  if (version === undefined) {
    throw new DomainError('version_conflict', 'Send the ETag of the configuration as If-Match, unchanged.');
  }
  return Number(version);
}
