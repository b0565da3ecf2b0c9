import { Body, Controller, Delete, Get, HttpCode, Param, Post, Query, Req, Res } from '@nestjs/common';
import {
  ApiConflictResponse,
  ApiBody,
  ApiConsumes,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiResponse,
  ApiTags,
} from '@nestjs/swagger';
import { ApiAnyOrigin, ApiBodyExample, ApiRefusals } from '../../../platform/openapi/api-description.js';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { CurrentAuthor, CurrentProject, ProjectRole } from '../../access/access.decorators.js';
import { Public } from '../../../platform/http/public.decorator.js';
import type { Author } from '../../audit/domain/author.js';
import type { Project } from '../../projects/domain/project.js';
import { DisconnectSignal } from '../../../platform/http/client-disconnected.js';
import { ConsentReader } from '../application/consent.reader.js';
import {
  CONSENT_BODY_SCHEMA,
  ConsentListQuery,
  ConsentPageResponse,
  ConsentReceiptResponse,
  ConsentResponse,
} from './consent.dto.js';
import { VisitorIndex } from '../application/privacy-settings.service.js';
import { ErasureService } from '../application/erasure.service.js';
import { EraseBody } from './privacy.dto.js';
import { IngestEndpoint } from './ingest.endpoint.js';

@ApiTags('Consents')
@Controller('v1/projects/:projectId/consents')
export class ConsentController {
  constructor(
    private readonly reader: ConsentReader,
    private readonly ingest: IngestEndpoint,
    private readonly erasures: ErasureService,
    private readonly index: VisitorIndex,
  ) {}

  /**
   * Only for documentation: the server passes these requests to the endpoint before Express
   * (ingest.endpoint.ts).
   */
  @Post()
  @Public()
  @ApiAnyOrigin()
  @ApiRefusals(403, 429)
  @ApiConflictResponse({ description: '`consent_id_conflict`: a different choice is stored under this id' })
  @ApiOperation({ summary: 'Store a consent choice; public, called by the banner' })
  @ApiConsumes('application/json', 'text/plain')
  @ApiBody({ required: true, schema: CONSENT_BODY_SCHEMA })
  @ApiResponse({ status: 201, type: ConsentReceiptResponse, description: 'Stored and committed to disk' })
  @ApiResponse({
    status: 200,
    type: ConsentReceiptResponse,
    description: 'The same choice was already stored',
  })
  record(
    @Param('projectId') projectId: string,
    @Req() request: IncomingMessage,
    @Res() response: ServerResponse,
  ): Promise<void> {
    return this.ingest.post(projectId, request, response);
  }

  @Get()
  @ProjectRole('viewer')
  @ApiAnyOrigin()
  @ApiConflictResponse({ description: '`visitor_reference_not_configured`' })
  @ApiOperation({ summary: 'List consent records, newest first' })
  @ApiOkResponse({ type: ConsentPageResponse })
  async list(
    @CurrentProject() project: Project,
    @Query() { visitorReference, ...filter }: ConsentListQuery,
    @DisconnectSignal() gone: AbortSignal,
  ): Promise<ConsentPageResponse> {
    if (visitorReference === undefined) return this.reader.list(project.id, filter, gone);
    const visitorHash = await this.erasures.hashOf(project.id, visitorReference);
    // Read before the records: if indexing has finished here, the list is complete.
    const indexing = await this.index.isUnderWay(project.id);
    return { ...(await this.reader.list(project.id, { ...filter, visitorHash }, gone)), indexing };
  }

  @Get(':consentId')
  @ProjectRole('viewer')
  @HttpCode(200)
  @ApiOperation({ summary: 'Read a consent record with its delivery' })
  @ApiOkResponse({ type: ConsentResponse })
  one(@CurrentProject() project: Project, @Param('consentId') consentId: string): Promise<ConsentResponse> {
    return this.reader.one(project.id, consentId);
  }

  /**
   * Also deletes its deliveries and queued messages. It can't be undone; the audit log keeps the id
   * and the reason.
   */
  @Delete(':consentId')
  @ProjectRole('owner')
  @HttpCode(204)
  @ApiBodyExample({ reason: 'Request of 2026-11-20, ticket 4711' })
  @ApiOperation({ summary: 'Erase one consent record' })
  @ApiNoContentResponse()
  async erase(
    @CurrentProject() project: Project,
    @CurrentAuthor() author: Author,
    @Param('consentId') consentId: string,
    @Body() { reason }: EraseBody,
  ): Promise<void> {
    await this.erasures.eraseOne({ projectId: project.id, consentId }, reason, author);
  }
}
