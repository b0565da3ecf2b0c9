import { Body, Controller, Delete, Get, Headers, HttpCode, Post, Put, Req, Res } from '@nestjs/common';
import {
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiPreconditionFailedResponse,
  ApiTags,
} from '@nestjs/swagger';
import { ApiBodyExample } from '../../../platform/openapi/api-description.js';
import type { Response } from 'express';
import {
  type AccessedRequest,
  CurrentAuthor,
  CurrentProject,
  ProjectRole,
} from '../../access/access.decorators.js';
import type { Author } from '../../audit/domain/author.js';
import type { Project } from '../../projects/domain/project.js';
import { IfMatchHeader } from '../../../platform/http/entity-tag.js';
import { DraftService } from '../application/draft.service.js';
import type { Draft } from '../domain/saved-configuration.js';
import { expected, requireBody } from './configuration.controller.js';
import { ConfigurationBody, configurationOf, SaveDraftBody } from './configuration.dto.js';
import { DraftResponse, PreviewResponse } from './draft.dto.js';

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

  /**
   * The document that would be published, and its differences from the saved one. Nothing is
   * stored.
   */
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
    const { document, regionRulesLeftOut, changes } = await this.drafts.preview(
      project,
      configurationOf(body),
    );
    return { document, regionRulesLeftOut, changes };
  }
}

function answer(response: Response, draft: Draft): DraftResponse {
  response.setHeader('ETag', `"${draft.version}"`);
  return draft;
}
