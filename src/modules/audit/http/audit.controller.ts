import { Readable } from 'node:stream';
import { Controller, Get, Query, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { CurrentProject, ProjectRole } from '../../access/access.decorators.js';
import { AccessService } from '../../access/access.service.js';
import type { Project } from '../../projects/domain/project.js';
import { DisconnectSignal } from '../../../platform/http/client-disconnected.js';
import { FileAnswer } from '../../../platform/http/file-answer.js';
import { AuditReader } from '../application/audit-reader.js';
import type { AuditEvent } from '../domain/audit-event.js';
import { auditPieces, type AuditSource } from './audit-csv.js';
import { AuditEventResponse, AuditFilterQuery, AuditListQuery, AuditPageResponse } from './audit.dto.js';

/** The audit log of a project, for its owners. */
@ApiTags('Audit')
@ApiParam({ name: 'projectId', format: 'uuid' })
@Controller('v1/projects/:projectId/audit')
export class AuditController {
  constructor(
    private readonly audit: AuditReader,
    private readonly access: AccessService,
    private readonly files: FileAnswer,
  ) {}

  /**
   * Newest first, kept 24 months. Filters read a bounded number of events for each page; see
   * `searchedTo`.
   */
  @Get()
  @ProjectRole('owner')
  @ApiOperation({ summary: 'List changes' })
  @ApiOkResponse({ type: AuditPageResponse })
  async list(
    @CurrentProject() project: Project,
    @Query() query: AuditListQuery,
    @DisconnectSignal() gone: AbortSignal,
  ): Promise<AuditPageResponse> {
    const { items, ...rest } = await this.audit.list(project.id, query, gone);
    const names = await this.namesOf(items);
    return { items: items.map((event) => AuditEventResponse.of(event, names)), ...rest };
  }

  /** The same as a file with all pages; a failure after the first byte closes the connection. */
  @Get('export')
  @ProjectRole('owner')
  @ApiOperation({ summary: 'Export changes as CSV' })
  @ApiOkResponse({ description: 'The file', content: { 'text/csv': { schema: { type: 'string' } } } })
  async export(
    @CurrentProject() project: Project,
    @Query() query: AuditFilterQuery,
    @Res() response: Response,
    @DisconnectSignal() gone: AbortSignal,
  ): Promise<void> {
    const source: AuditSource = {
      read: (limit, cursor) =>
        this.audit.list(project.id, { ...query, limit, ...(cursor !== null && { cursor }) }, gone),
      namesOf: (events) => this.namesOf(events),
    };
    await this.files.send(
      response,
      {
        projectId: project.id,
        accountId: await this.access.accountOf(project.id),
        contentType: 'text/csv; charset=utf-8',
        name: 'audit.csv',
        open: () => opened(auditPieces(source)),
      },
      gone,
    );
  }

  private namesOf(events: AuditEvent[]): Promise<Map<string, string>> {
    const idsOf = (kind: 'user' | 'api_key'): string[] => [
      ...new Set(events.flatMap(({ actorKind, actorId }) => (actorKind === kind && actorId) || [])),
    ];
    return this.access.namesOf({ userIds: idsOf('user'), apiKeyIds: idsOf('api_key') });
  }
}

/** Reads the first piece, so that errors are sent before the file begins. */
async function opened(pieces: AsyncGenerator<string>): Promise<Readable> {
  const first = await pieces.next();
  const all = async function* (): AsyncGenerator<string> {
    if (!first.done) yield first.value;
    yield* pieces;
  };
  return Readable.from(all(), { highWaterMark: 2 });
}
