import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { sql } from 'kysely';
import type { Pool } from 'pg';
import { ProjectReads } from '../../database/project-reads.js';
import { uuidLowerBound } from '../../shared/ids.js';
import { openPool } from '../../shared/postgres-pool.js';
import { SettingsFrom } from '../../shared/inject-settings.js';
import { type DatabaseSettings, databaseSettings } from '../../database/database.settings.js';
import { CONSENT_ID_AGE_MAX_MS, CONSENT_ID_AHEAD_MAX_MS } from '../domain/consent-input.js';
import { filtersOf, rangeOf, type RecordFilter } from './record-filter.js';

/** Connections on which the batches of all exports are read, each for some milliseconds. */
const CONNECTIONS = 4;
/** Rows of one query. The connection is free between queries, however slowly the client reads. */
const BATCH_ROWS = 2_000;
/** Records that one query looks at where a filter matches few. */
const BATCH_SCANNED_ROWS_MAX = 50_000;
/** A batch takes milliseconds. */
const STATEMENT_TIMEOUT_MS = 10_000;

/** The columns of an export, in the order of the file; `additionalFields` is JSON. */
export const EXPORT_COLUMNS = [
  'id',
  'receivedAt',
  'analytics',
  'marketing',
  'preferences',
  'action',
  'hostname',
  'configHash',
  'language',
  'surface',
  'additionalFields',
] as const;

/** One record as texts, in the order of `EXPORT_COLUMNS`; empty where there is nothing. */
export type ExportRow = string[];

/** Which records; instants are of receipt, `from` inclusive, `to` exclusive. */
export interface ExportSelection extends RecordFilter {
  projectId: string;
  from: Date;
  to: Date;
}

/** A batch, and the id behind which the next one begins; null: it was the last. */
interface Batch {
  rows: ExportRow[];
  lastId: string | null;
}

/** Reads records for export, oldest id first, in constant memory. */
@Injectable()
export class ConsentExport implements OnApplicationShutdown {
  private readonly logger = new Logger(ConsentExport.name);
  private readonly pool: Pool;

  constructor(
    private readonly reads: ProjectReads,
    @SettingsFrom(databaseSettings) database: DatabaseSettings,
  ) {
    this.pool = openPool(database, {
      name: 'export',
      connections: CONNECTIONS,
      statementMs: STATEMENT_TIMEOUT_MS,
      // A batch is the next rows of the primary key, whatever the planner makes of its statistics: sorting the
      // whole period for each batch took 4 s at a million records.
      serverSettings: { enable_sort: 'off', enable_bitmapscan: 'off', enable_seqscan: 'off' },
      onDropped: (error) => this.logger.warn(`an idle export connection was lost: ${error.message}`),
    });
  }

  async onApplicationShutdown(): Promise<void> {
    await this.pool.end();
  }

  /** How many records a selection has. */
  async count(selection: ExportSelection, gone: AbortSignal): Promise<number> {
    const conditions = [...rangeOf(selection.projectId, selection), ...filtersOf(selection)];
    const [row] = await this.reads.report<{ records: number }>(
      selection.projectId,
      sql`select count(*) as records from consent_record c where ${sql.join(conditions, sql` and `)}`,
      gone,
    );
    return row?.records ?? 0;
  }

  /**
   * Reads the first batch, and returns all batches. If this read fails, the caller can still send the error; a later
   * failure breaks the file off.
   */
  async begin(selection: ExportSelection): Promise<AsyncGenerator<ExportRow[]>> {
    const batches = this.batches(selection);
    const first = await batches.next();
    return (async function* whole() {
      if (!first.done) yield first.value;
      yield* batches;
    })();
  }

  /**
   * The records of a selection, batch by batch. Each batch continues behind the last id, in a query of its own:
   * no transaction stays open while a slow client reads. The next batch is read while this one is used;
   * leaving the loop stops the reading.
   */
  async *batches(selection: ExportSelection): AsyncGenerator<ExportRow[]> {
    let next: Promise<Batch> | null = this.read(selection, null);
    while (next) {
      const { rows, lastId }: Batch = await next;
      next = lastId === null ? null : this.read(selection, lastId);
      // Whoever stops listening never looks at it; a failure then must not end the process.
      next?.catch(() => undefined);
      if (rows.length > 0) yield rows;
    }
  }

  private async read(selection: ExportSelection, afterId: string | null): Promise<Batch> {
    const lookedTo = isFiltered(selection) ? await this.endOfLook(selection, afterId) : null;
    const { rows } = await this.pool.query<ExportRow>({
      name: `export-${afterId === null ? 'first' : 'next'}`,
      rowMode: 'array',
      text: readText(afterId),
      values: [...boundsOf(selection, afterId), lookedTo, ...filterValues(selection)],
    });
    return { rows, lastId: rows.length === BATCH_ROWS ? (rows.at(-1)?.[0] ?? null) : lookedTo };
  }

  /** The last id that the next query looks at; null where it comes to the end. */
  private async endOfLook(selection: ExportSelection, afterId: string | null): Promise<string | null> {
    const [projectId, firstId, endId] = boundsOf(selection, afterId);
    const { rows } = await this.pool.query<{ id: string }>({
      name: 'export-look',
      text: `select c.id from consent_record c where project_id = $1 and c.id >= $2 and c.id < $3
             order by c.id offset ${BATCH_SCANNED_ROWS_MAX} limit 1`,
      values: [projectId, firstId, endId],
    });
    return rows[0]?.id ?? null;
  }
}

/** Everything as text, in the form of the file: nothing is parsed only to be written again. */
function readText(afterId: string | null): string {
  return `
    select id::text, to_char(received_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), analytics::text,
           marketing::text, preferences::text, action, coalesce(hostname, ''),
           coalesce(config_hash, ''), coalesce(language, ''), coalesce(surface, ''), coalesce(extra::text, '')
    from consent_record c
    where project_id = $1 and c.id ${afterId === null ? '>=' : '>'} $2 and c.id < $3
      and received_at >= $4 and received_at < $5
      and c.id <= coalesce($6, 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid)
      and ($7::text is null or action = $7) and ($8::text is null or hostname = $8)
      and ($9::boolean is null or analytics = $9) and ($10::boolean is null or marketing = $10)
      and ($11::boolean is null or preferences = $11) and ($12::text is null or config_hash = $12)
      and ($13::text is null or lower(language) = $13) and ($14::text is null or surface = $14)
    order by c.id -- not the text that is selected under this name
    limit ${BATCH_ROWS}`;
}

function filterValues(filter: RecordFilter): unknown[] {
  return [
    filter.action ?? null,
    filter.hostname?.toLowerCase() ?? null,
    filter.analytics ?? null,
    filter.marketing ?? null,
    filter.preferences ?? null,
    filter.configHash ?? null,
    filter.language?.toLowerCase() ?? null,
    filter.surface ?? null,
  ];
}

function isFiltered(selection: RecordFilter): boolean {
  return filterValues(selection).some((value) => value !== null);
}

/** Project, first and last id that the selection can hold, and its period: the months outside are not read. */
function boundsOf({ projectId, from, to }: ExportSelection, afterId: string | null): unknown[] {
  const firstId = uuidLowerBound(new Date(from.getTime() - CONSENT_ID_AGE_MAX_MS));
  const endId = uuidLowerBound(new Date(to.getTime() + CONSENT_ID_AHEAD_MAX_MS + 1));
  return [projectId, afterId ?? firstId, endId, from, to];
}
