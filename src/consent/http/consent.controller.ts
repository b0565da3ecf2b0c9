import { Controller, Get, HttpCode, Param, Post, Query, Req, Res } from '@nestjs/common';
import { ApiBody, ApiConsumes, ApiOkResponse, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { CurrentProject, ProjectRole, Public } from '../../access/access.decorators.js';
import type { Project } from '../../projects/domain/project.js';
import type { LookedPage } from '../../database/look-back.js';
import { GoneSignal } from '../../shared/client-gone.js';
import { ConsentReader } from '../application/consent.reader.js';
import {
  CONSENT_BODY_SCHEMA,
  ConsentListQuery,
  ConsentPageView,
  ConsentReceiptView,
  ConsentView,
} from './consent.dto.js';
import { IngestEndpoint } from './ingest.endpoint.js';

@ApiTags('Consents')
@Controller('v1/projects/:projectId/consents')
export class ConsentController {
  constructor(
    private readonly reader: ConsentReader,
    private readonly ingest: IngestEndpoint,
  ) {}

  /** Described here; the server hands these requests to the endpoint before Express sees them (ingest.endpoint.ts). */
  @Post()
  @Public()
  @ApiOperation({ summary: 'Store a consent choice; public, called by the banner' })
  @ApiConsumes('application/json', 'text/plain')
  @ApiBody({ required: true, schema: CONSENT_BODY_SCHEMA })
  @ApiResponse({ status: 201, type: ConsentReceiptView, description: 'Stored, committed to disk' })
  @ApiResponse({ status: 200, type: ConsentReceiptView, description: 'The same decision was stored before' })
  record(
    @Param('projectId') projectId: string,
    @Req() request: IncomingMessage,
    @Res() response: ServerResponse,
  ): Promise<void> {
    return this.ingest.post(projectId, request, response);
  }

  @Get()
  @ProjectRole('viewer')
  @ApiOperation({ summary: 'List consent records, newest first' })
  @ApiOkResponse({ type: ConsentPageView })
  list(
    @CurrentProject() project: Project,
    @Query() query: ConsentListQuery,
    @GoneSignal() gone: AbortSignal,
  ): Promise<LookedPage<ConsentView>> {
    return this.reader.list(project.id, query, gone);
  }

  @Get(':consentId')
  @ProjectRole('viewer')
  @HttpCode(200)
  @ApiOperation({ summary: 'One consent record, with its delivery' })
  @ApiOkResponse({ type: ConsentView })
  one(@CurrentProject() project: Project, @Param('consentId') consentId: string): Promise<ConsentView> {
    return this.reader.one(project.id, consentId);
  }
}
