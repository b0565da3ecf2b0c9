import { Controller, Get, HttpCode, Param, Post, Query, Req, Res } from '@nestjs/common';
import { ApiBody, ApiConsumes, ApiOkResponse, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { CurrentProject, ProjectRole, Public } from '../../access/access.decorators.js';
import { Project } from '../../projects/project.entity.js';
import { DomainError } from '../../shared/domain-error.js';
import { isUuid } from '../../shared/ids.js';
import type { Page } from '../../shared/page.js';
import { ConsentReader } from '../application/consent.reader.js';
import { type ConsentReceipt, ConsentService } from '../application/consent.service.js';
import { IngestMetrics } from '../infrastructure/ingest.metrics.js';
import { CONSENT_EXAMPLE, ConsentListQuery, ConsentReceiptView, ConsentView } from './consent.dto.js';
import { INGEST_MEDIA_TYPES } from './ingest.js';
import { IngestLimit } from './ingest-limit.js';

@ApiTags('consents')
@Controller('v1/projects/:projectId/consents')
export class ConsentController {
  constructor(
    private readonly consents: ConsentService,
    private readonly reader: ConsentReader,
    private readonly limit: IngestLimit,
    private readonly metrics: IngestMetrics,
  ) {}

  /**
   * Takes a visitor's choice (design §6.1). 201 once it is on the disk, 200 where the same decision was
   * there already. It answers without Nest's serialisation: this is the route that every visitor waits for.
   */
  @Post()
  @Public()
  @ApiOperation({ summary: 'Store a consent choice; public, called by the banner' })
  @ApiConsumes('application/json', 'text/plain')
  @ApiBody({ schema: { type: 'object', example: CONSENT_EXAMPLE, additionalProperties: true } })
  @ApiResponse({ status: 201, type: ConsentReceiptView, description: 'Stored, committed to disk' })
  @ApiResponse({ status: 200, type: ConsentReceiptView, description: 'The same decision was stored before' })
  async record(
    @Param('projectId') projectId: string,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const startedMs = performance.now();
    try {
      const receipt = await this.take(projectId, request);
      this.metrics.count(receipt.duplicate ? 'duplicate' : 'stored', startedMs);
      response.statusCode = receipt.duplicate ? 200 : 201;
      response.setHeader('Content-Type', 'application/json; charset=utf-8');
      response.end(JSON.stringify(receipt));
    } catch (error) {
      this.metrics.count(error instanceof DomainError ? error.code : 'internal_error', startedMs);
      throw error;
    }
  }

  @Get()
  @ProjectRole('viewer')
  @ApiOperation({ summary: 'List consent records, newest first' })
  @ApiOkResponse({ description: '{ items: ConsentView[], nextCursor }' })
  list(@CurrentProject() project: Project, @Query() query: ConsentListQuery): Promise<Page<ConsentView>> {
    return this.reader.list(project.id, query);
  }

  @Get(':consentId')
  @ProjectRole('viewer')
  @HttpCode(200)
  @ApiOperation({ summary: 'One consent record, with its delivery' })
  @ApiOkResponse({ type: ConsentView })
  one(@CurrentProject() project: Project, @Param('consentId') consentId: string): Promise<ConsentView> {
    return this.reader.one(project.id, consentId);
  }

  private async take(projectId: string, request: Request): Promise<ConsentReceipt> {
    if (!isUuid(projectId)) {
      throw new DomainError(
        'project_not_found',
        'There is no such project. Check the project id in the URL.',
      );
    }
    await this.limit.count(request.ip ?? '', projectId);
    return this.consents.record(projectId.toLowerCase(), bodyOf(request), request.headers.origin, new Date());
  }
}

function bodyOf(request: Request): unknown {
  if (request.body !== undefined) return request.body as unknown;
  const mediaType = (request.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
  if (INGEST_MEDIA_TYPES.includes(mediaType))
    throw new DomainError('body_not_json', 'The body is empty; send a JSON object.');
  throw new DomainError('unsupported_media_type', 'Send JSON as application/json or text/plain.');
}
