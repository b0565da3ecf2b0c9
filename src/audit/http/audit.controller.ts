import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Controller, Get, Logger, Query, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { CurrentProject, ProjectRole } from '../../access/access.decorators.js';
import { AccessService } from '../../access/access.service.js';
import type { Project } from '../../projects/domain/project.js';
import { GoneSignal } from '../../shared/client-gone.js';
import { csvOf } from '../../shared/csv.js';
import { AuditReader } from '../application/audit-reader.js';
import type { AuditEvent } from '../domain/audit-event.js';
import { AuditEventDto, AuditFilterQuery, AuditListQuery, AuditPageDto } from './audit.dto.js';

/** Two years of a project whose people change something every minute of their working days are a million rows. */
const EXPORT_LONGEST_MS = 10 * 60_000;
/** Of one kind of event: the pipeline listens for the end in several ways, beside the log and the metrics. */
const RESPONSE_LISTENERS_MAX = 20;
const CSV_COLUMNS = 'id at action actorKind actorId actorName network target before after'.split(' ');

/** Who changed what of a project, for its owners. */
@ApiTags('Audit')
@ApiParam({ name: 'projectId', format: 'uuid' })
@Controller('v1/projects/:projectId/audit')
export class AuditController {
  private readonly logger = new Logger(AuditController.name);

  constructor(
    private readonly audit: AuditReader,
    private readonly access: AccessService,
  ) {}

  /** Newest first, kept 24 months. Filters look at a bounded number of events for each page; see `searchedTo`. */
  @Get()
  @ProjectRole('owner')
  @ApiOperation({ summary: 'List changes' })
  @ApiOkResponse({ type: AuditPageDto })
  async list(
    @CurrentProject() project: Project,
    @Query() query: AuditListQuery,
    @GoneSignal() gone: AbortSignal,
  ): Promise<AuditPageDto> {
    const { items, ...rest } = await this.audit.list(project.id, query, gone);
    const names = await this.namesOf(items);
    return { items: items.map((event) => AuditEventDto.of(event, names)), ...rest };
  }

  /** The same as a file, all pages of it; what goes wrong after the first byte breaks the connection off. */
  @Get('export')
  @ProjectRole('owner')
  @ApiOperation({ summary: 'Export changes as CSV' })
  @ApiOkResponse({ description: 'The file', content: { 'text/csv': { schema: { type: 'string' } } } })
  async export(
    @CurrentProject() project: Project,
    @Query() query: AuditFilterQuery,
    @Res() response: Response,
    @GoneSignal() gone: AbortSignal,
  ): Promise<void> {
    const batches = this.audit.batches(project.id, query, gone);
    // What is refused is refused before the file begins.
    const first = await batches.next();
    const tooLong = setTimeout(() => response.destroy(), EXPORT_LONGEST_MS);
    response.setHeader('Content-Type', 'text/csv; charset=utf-8');
    response.setHeader('Content-Disposition', 'attachment; filename="audit.csv"');
    response.setMaxListeners(RESPONSE_LISTENERS_MAX);
    try {
      await pipeline(Readable.from(this.pieces(first.done ? [] : first.value, batches)), response);
    } catch (error) {
      const left = (error as NodeJS.ErrnoException).code === 'ERR_STREAM_PREMATURE_CLOSE' || gone.aborted;
      if (!left) this.logger.error({ err: error, projectId: project.id }, 'an export broke off');
      response.destroy();
    } finally {
      clearTimeout(tooLong);
    }
  }

  private async *pieces(first: AuditEvent[], others: AsyncIterable<AuditEvent[]>): AsyncGenerator<string> {
    yield csvOf([CSV_COLUMNS]);
    yield await this.rowsOf(first);
    for await (const events of others) yield await this.rowsOf(events);
  }

  private async rowsOf(events: AuditEvent[]): Promise<string> {
    const names = await this.namesOf(events);
    return csvOf(events.map((event) => cellsOf(AuditEventDto.of(event, names))));
  }

  private namesOf(events: AuditEvent[]): Promise<Map<string, string>> {
    const idsOf = (kind: 'user' | 'api_key'): string[] => [
      ...new Set(events.flatMap(({ actorKind, actorId }) => (actorKind === kind && actorId) || [])),
    ];
    return this.access.namesOf({ userIds: idsOf('user'), apiKeyIds: idsOf('api_key') });
  }
}

function cellsOf({ id, at, action, actor, target, before, after }: AuditEventDto): string[] {
  const { kind, id: actorId, name, network } = actor;
  const cells = [id, at.toISOString(), action, kind, actorId, name, network, target];
  const states = [before, after].map((state) => (state === null ? '' : JSON.stringify(state)));
  return [...cells.map((cell) => cell ?? ''), ...states];
}
