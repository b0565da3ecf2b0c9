import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Controller, Get, Injectable, Query, Res } from '@nestjs/common';
import {
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiProperty,
  ApiPropertyOptional,
  ApiTags,
  IntersectionType,
} from '@nestjs/swagger';
import { IsIn, IsOptional } from 'class-validator';
import type { Response } from 'express';
import type { ScannedPage } from '../../../platform/database/bounded-scan.js';
import { formatCsv } from '../../../platform/export/csv.js';
import { toPage } from '../../../platform/export/page.js';
import { DisconnectSignal } from '../../../platform/http/client-disconnected.js';
import { FileAnswer } from '../../../platform/http/file-answer.js';
import { IsInstant } from '../../../platform/http/instant.decorator.js';
import { PageQuery, rowsOf } from '../../../platform/http/page-query.js';
import { TextLine } from '../../../platform/http/text.decorator.js';
import {
  CurrentActor,
  CurrentProject,
  ProjectRole,
  SessionOnly,
  SignedIn,
} from '../../access/access.decorators.js';
import { AccessService } from '../../access/access.service.js';
import { requireUser, type Actor } from '../../access/domain/actor.js';
import type { Project } from '../../projects/domain/project.js';
import { AuditReader } from '../application/audit-reader.js';
import {
  AUDIT_ACTIONS,
  SECURITY_ACTIONS,
  type AuditAction,
  type AuditEvent,
  type SecurityAction,
} from '../domain/audit-event.js';
import { AUTHOR_KINDS, type AuthorKind } from '../domain/author.js';

const ACTOR_ID_CHARACTERS_MAX = 120;

/** Filters of list and export, combined with AND. */
export class AuditFilterQuery {
  @ApiPropertyOptional({ type: String, format: 'date-time', description: 'Inclusive.' })
  @IsOptional()
  @IsInstant()
  from?: Date;

  @ApiPropertyOptional({ type: String, format: 'date-time', description: 'Exclusive.' })
  @IsOptional()
  @IsInstant()
  to?: Date;

  @ApiPropertyOptional({ enum: AUDIT_ACTIONS })
  @IsOptional()
  @IsIn(AUDIT_ACTIONS)
  action?: AuditAction;

  @ApiPropertyOptional({ enum: AUTHOR_KINDS })
  @IsOptional()
  @IsIn(AUTHOR_KINDS)
  actorKind?: AuthorKind;

  @ApiPropertyOptional({ description: 'Id of a user or an API key' })
  @IsOptional()
  @TextLine({ min: 1, max: ACTOR_ID_CHARACTERS_MAX })
  actorId?: string;
}

export class AuditListQuery extends IntersectionType(PageQuery, AuditFilterQuery) {}

class AuditActorResponse {
  @ApiProperty({ enum: AUTHOR_KINDS }) kind!: AuthorKind;
  @ApiProperty({
    type: String,
    nullable: true,
    description: "Id of the user or API key, or the operator's name",
  })
  id!: string | null;
  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Current email of the user or name of the key; null if deleted. Not stored in the log.',
  })
  name!: string | null;
  @ApiProperty({ type: String, nullable: true, description: '/24 or /48 of the address' })
  network!: string | null;
}

class AuditEventResponse {
  @ApiProperty({ format: 'uuid' }) id!: string;
  @ApiProperty({ format: 'date-time' }) at!: Date;
  @ApiProperty({ enum: AUDIT_ACTIONS }) action!: AuditAction;
  @ApiProperty({ type: AuditActorResponse }) actor!: AuditActorResponse;
  @ApiProperty({ type: String, nullable: true, description: 'null: the whole project' })
  target!: string | null;
  @ApiProperty({
    type: Object,
    nullable: true,
    additionalProperties: true,
    description: 'Changed members before the change, without secrets; null: created.',
  })
  before!: Record<string, unknown> | null;
  @ApiProperty({
    type: Object,
    nullable: true,
    additionalProperties: true,
    description: 'Changed members after the change, without secrets; null: deleted.',
  })
  after!: Record<string, unknown> | null;

  static of(event: AuditEvent, names: ReadonlyMap<string, string>): AuditEventResponse {
    const { id, at, action, target, before, after, actorKind: kind, actorId, network } = event;
    const name = actorId === null ? null : (names.get(actorId) ?? null);
    return { id, at, action, actor: { kind, id: actorId, name, network }, target, before, after };
  }
}

export class AuditPageResponse {
  @ApiProperty({ type: [AuditEventResponse] }) items!: AuditEventResponse[];
  @ApiProperty({ type: String, nullable: true }) nextCursor!: string | null;
  @ApiProperty({ type: Date, nullable: true, description: 'Searched back to this time; null: to the end' })
  searchedTo!: Date | null;
}

class SecurityEventResponse {
  @ApiProperty({ format: 'uuid' }) id!: string;
  @ApiProperty({ format: 'date-time' }) at!: Date;
  @ApiProperty({ enum: SECURITY_ACTIONS }) action!: SecurityAction;
  @ApiProperty({ type: String, nullable: true, description: '/24 or /48 of the address' })
  network!: string | null;
}

class SecurityLogPageResponse {
  @ApiProperty({ type: [SecurityEventResponse] }) items!: SecurityEventResponse[];
  @ApiProperty({ type: String, nullable: true }) nextCursor!: string | null;
}

/** Sends the pages and files of a log: of a project, or of an organization under its id. */
@Injectable()
export class AuditAnswers {
  constructor(
    private readonly audit: AuditReader,
    private readonly access: AccessService,
    private readonly files: FileAnswer,
  ) {}

  async page(subjectId: string, query: AuditListQuery, gone: AbortSignal): Promise<AuditPageResponse> {
    const { items, ...rest } = await this.audit.list(subjectId, query, gone);
    const names = await this.namesOf(items);
    return { items: items.map((event) => AuditEventResponse.of(event, names)), ...rest };
  }

  async file(
    subject: { subjectId: string; accountId: string },
    query: AuditFilterQuery,
    response: Response,
    gone: AbortSignal,
  ): Promise<void> {
    const { subjectId, accountId } = subject;
    const source: AuditSource = {
      read: (limit, cursor) =>
        this.audit.list(subjectId, { ...query, limit, ...(cursor !== null && { cursor }) }, gone),
      namesOf: (events) => this.namesOf(events),
    };
    await this.files.send(
      response,
      {
        projectId: subjectId,
        accountId,
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

/** The audit log of a project, for its owners. */
@ApiTags('Audit')
@ApiParam({ name: 'projectId', format: 'uuid' })
@Controller('v1/projects/:projectId/audit')
export class AuditController {
  constructor(
    private readonly answers: AuditAnswers,
    private readonly access: AccessService,
  ) {}

  /**
   * Newest first, kept 24 months. Filters read a bounded number of events for each page; see
   * `searchedTo`.
   */
  @Get()
  @ProjectRole('owner')
  @ApiOperation({ summary: 'List changes' })
  @ApiOkResponse({ type: AuditPageResponse })
  list(
    @CurrentProject() project: Project,
    @Query() query: AuditListQuery,
    @DisconnectSignal() gone: AbortSignal,
  ): Promise<AuditPageResponse> {
    return this.answers.page(project.id, query, gone);
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
    const subject = { subjectId: project.id, accountId: await this.access.accountOf(project.id) };
    await this.answers.file(subject, query, response, gone);
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

const COLUMNS = 'id at action actorKind actorId actorName network target before after'.split(' ');
/** Events of one query. Each state of a change may have 16 Ki characters of JSON. */
const PAGE_ROWS = 25;
/** Size of a piece, which its last row may exceed. */
const PIECE_CHARACTERS = 64 * 1024;

/** The source of a file's events. */
interface AuditSource {
  /** At most `limit` events after `cursor`, or the newest. */
  read(limit: number, cursor: string | null): Promise<ScannedPage<AuditEvent>>;
  /** The names of the users and keys in events. */
  namesOf(events: AuditEvent[]): Promise<Map<string, string>>;
}

/**
 * A CSV file (RFC 4180), in small pages and pieces, between which other requests are served: 1,000
 * events in one piece took up to 31 MB, and blocked the main thread.
 */
export async function* auditPieces(source: AuditSource): AsyncGenerator<string> {
  let cursor: string | null = null;
  let piece = formatCsv([COLUMNS]);
  do {
    const page: ScannedPage<AuditEvent> = await source.read(PAGE_ROWS, cursor);
    const names = await source.namesOf(page.items);
    for (const event of page.items) {
      piece += formatCsv([toCells(AuditEventResponse.of(event, names))]);
      if (piece.length < PIECE_CHARACTERS) continue;
      yield piece;
      await nextTurn();
      piece = '';
    }
    cursor = page.nextCursor;
  } while (cursor !== null);
  yield piece;
}

function toCells({ id, at, action, actor, target, before, after }: AuditEventResponse): string[] {
  const { kind, id: actorId, name, network } = actor;
  const cells = [id, at.toISOString(), action, kind, actorId, name, network, target];
  const states = [before, after].map((state) => (state === null ? '' : JSON.stringify(state)));
  return [...cells.map((cell) => cell ?? ''), ...states];
}

@ApiTags('Sign-in')
@Controller('v1/me/security-log')
export class SecurityLogController {
  constructor(private readonly audit: AuditReader) {}

  /** Sign-ins, failed ones, and changes to the account; newest first, kept 12 months. */
  @SignedIn()
  @SessionOnly()
  @ApiOperation({ summary: 'List the security events of your account' })
  @ApiOkResponse({ type: SecurityLogPageResponse })
  @Get()
  async list(@CurrentActor() actor: Actor, @Query() query: PageQuery): Promise<SecurityLogPageResponse> {
    const events = await this.audit.securityLog(requireUser(actor).userId, rowsOf(query));
    return toPage(
      events,
      query.limit,
      (event) => event.id,
      (event) => event,
    );
  }
}
