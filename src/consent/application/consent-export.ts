import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import type { Pool } from 'pg';
import { DomainError } from '../../shared/domain-error.js';
import { uuidLowerBound } from '../../shared/ids.js';
import { openPool } from '../../shared/postgres-pool.js';
import { InjectSettings, type Settings } from '../../shared/settings.js';
import { CONSENT_ID_AGE_MAX_MS, CONSENT_ID_AHEAD_MAX_MS } from '../domain/consent-input.js';

/** Exports at once in one process; each has a connection, so that they never wait for the ingest's or the other way round. */
export const EXPORTS_MAX = 4;
/** Rows of one query. The connection is free between queries, however slowly the client reads. */
const BATCH_ROWS = 2_000;
/** A batch takes milliseconds, the count of a whole year for a PDF's cover some seconds. */
const STATEMENT_TIMEOUT_MS = 30_000;
const RETRY_AFTER_SECONDS = 10;

/** The columns of an export, in the order of the file; `additionalFields` is JSON. */
export const EXPORT_COLUMNS = [
  'id',
  'receivedAt',
  'analytics',
  'marketing',
  'preferences',
  'action',
  'hostname',
  'additionalFields',
] as const;

/** One record as texts, in the order of `EXPORT_COLUMNS`; empty where there is nothing. */
export type ExportRow = string[];

/** Which records; instants are of receipt, `from` inclusive, `to` exclusive. */
export interface ExportPeriod {
  projectId: string;
  from: Date;
  to: Date;
}

/** Reads records for export, oldest id first, in constant memory. */
@Injectable()
export class ConsentExport implements OnApplicationShutdown {
  private readonly logger = new Logger(ConsentExport.name);
  private readonly pool: Pool;
  private underWay = 0;

  constructor(@InjectSettings() settings: Settings) {
    this.pool = openPool(settings, {
      name: 'export',
      connections: EXPORTS_MAX,
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

  /**
   * Reserves a place for an export until the returned function is called.
   * @throws DomainError `overloaded` where too many are under way.
   */
  reserve(): () => void {
    if (this.underWay >= EXPORTS_MAX) {
      throw new DomainError('overloaded', 'Too many exports are under way. Try again in a moment.', {
        retryAfterSeconds: RETRY_AFTER_SECONDS,
      });
    }
    this.underWay += 1;
    let released = false;
    return () => {
      if (!released) this.underWay -= 1;
      released = true;
    };
  }

  /** How many records there are of a period. */
  async count(period: ExportPeriod): Promise<number> {
    const { rows } = await this.pool.query<{ records: string }>({
      name: 'export-count',
      text: `select count(*) as records from consent_record
             where project_id = $1 and id >= $2 and id < $3 and received_at >= $4 and received_at < $5`,
      values: boundsOf(period),
    });
    return Number(rows[0]?.records ?? 0);
  }

  /**
   * The records of a period, batch by batch. Each batch continues behind the last id, in a query of its own:
   * no transaction stays open while a slow client reads. The next batch is read while this one is used;
   * leaving the loop stops the reading.
   */
  async *batches(period: ExportPeriod): AsyncGenerator<ExportRow[]> {
    let next: Promise<ExportRow[]> | null = this.read(period, null);
    while (next) {
      const rows: ExportRow[] = await next;
      const lastId = rows.length === BATCH_ROWS ? rows.at(-1)?.[0] : undefined;
      next = lastId === undefined ? null : this.read(period, lastId);
      // Whoever stops listening never looks at it; a failure then must not end the process.
      next?.catch(() => undefined);
      yield rows;
    }
  }

  private async read(period: ExportPeriod, afterId: string | null): Promise<ExportRow[]> {
    const [projectId, firstId, ...bounds] = boundsOf(period);
    // Everything as text, in the form of the file: nothing is parsed only to be written again.
    const { rows } = await this.pool.query<ExportRow>({
      name: afterId === null ? 'export-first' : 'export-next',
      rowMode: 'array',
      text: `
        select id::text, to_char(received_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), analytics::text,
               marketing::text, preferences::text, action, coalesce(hostname, ''), coalesce(extra::text, '')
        from consent_record c
        where project_id = $1 and c.id ${afterId === null ? '>=' : '>'} $2 and c.id < $3
          and received_at >= $4 and received_at < $5
        order by c.id -- not the text that is selected under this name
        limit ${BATCH_ROWS}`,
      values: [projectId, afterId ?? firstId, ...bounds],
    });
    return rows;
  }
}

/** Project, first and last id that the period can hold, and the period: the months outside are not read. */
function boundsOf({ projectId, from, to }: ExportPeriod): unknown[] {
  const firstId = uuidLowerBound(new Date(from.getTime() - CONSENT_ID_AGE_MAX_MS));
  const lastId = uuidLowerBound(new Date(to.getTime() + CONSENT_ID_AHEAD_MAX_MS + 1));
  return [projectId, firstId, lastId, from, to];
}
