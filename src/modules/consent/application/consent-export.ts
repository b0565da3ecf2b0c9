import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import type { Pool } from 'pg';
import { compileSql } from '../../../platform/database/compile-sql.js';
import { ProjectReads } from '../../../platform/database/project-reads.js';
import { openPool } from '../../../platform/database/postgres-pool.js';
import { InjectSettings } from '../../../platform/settings/inject-settings.js';
import { type DatabaseSettings, databaseSettings } from '../../../platform/database/database.settings.js';
import { ConsentHooks } from '../consent.hooks.js';
import type { ExportRow, ExportSelection, RecordCounts } from '../domain/record-filter.js';
import {
  endOfScan,
  exportBatch,
  exportCounts,
  isFiltered,
  type SelectedRecords,
} from '../infrastructure/export-query.js';

/** Connections shared by all exports, each used for some milliseconds per batch. */
const CONNECTIONS = 4;
/** Rows of one query. The connection is free between queries, even with a slow client. */
const BATCH_ROWS = 2_000;
/** Records that one query scans if a filter matches few. */
const BATCH_SCANNED_ROWS_MAX = 50_000;
/** A batch takes milliseconds. */
const STATEMENT_TIMEOUT_MS = 10_000;

/** A batch, and the id after which the next one starts; null for the last batch. */
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
    private readonly hooks: ConsentHooks,
    @InjectSettings(databaseSettings) database: DatabaseSettings,
  ) {
    this.pool = openPool(database, {
      name: 'export',
      connections: CONNECTIONS,
      statementMs: STATEMENT_TIMEOUT_MS,
      // A batch is a range of the primary key, regardless of statistics: sorting the whole period
      // for each batch took 4 s with a million records.
      serverSettings: { enable_sort: 'off', enable_bitmapscan: 'off', enable_seqscan: 'off' },
      onDropped: (error) => this.logger.warn(`lost an idle export connection: ${error.message}`),
    });
  }

  async onApplicationShutdown(): Promise<void> {
    await this.pool.end();
  }

  async count(selection: ExportSelection, gone: AbortSignal): Promise<RecordCounts> {
    const { conditions } = await this.hooks.deliveryConditions(selection.projectId, selection.delivery);
    const query = exportCounts({ selection, delivery: conditions });
    const [row] = await this.reads.report(selection.projectId, query, gone);
    if (!row) throw new Error('A count returned no row.');
    return row;
  }

  /**
   * Reads the first batch, and returns all batches. If this read fails, the caller can still send
   * the error; a later failure truncates the file. `onlyShown`: of the additional fields, only what a PDF shows.
   */
  async begin(
    selection: ExportSelection,
    options: { onlyShown?: boolean } = {},
  ): Promise<AsyncGenerator<ExportRow[]>> {
    const batches = this.batches(selection, options);
    const first = await batches.next();
    return (async function* whole() {
      if (!first.done) yield first.value;
      yield* batches;
    })();
  }

  /**
   * The records of a selection, batch by batch. Each batch continues after the last id in a
   * separate query, so no transaction stays open while a slow client reads. The next batch is read
   * ahead. Leaving the loop stops the reading.
   */
  async *batches(
    selection: ExportSelection,
    { onlyShown = false }: { onlyShown?: boolean } = {},
  ): AsyncGenerator<ExportRow[]> {
    // Records queued now count as queued for the whole file.
    const { conditions, scannedMax = BATCH_SCANNED_ROWS_MAX } = await this.hooks.deliveryConditions(
      selection.projectId,
      selection.delivery,
    );
    const selected = { selection, delivery: conditions, scannedMax, onlyShown };
    let next: Promise<Batch> | null = this.read(selected, null);
    while (next) {
      const { rows, lastId }: Batch = await next;
      next = lastId === null ? null : this.read(selected, lastId);
      // If the caller leaves the loop, nothing awaits this promise; its rejection must not end the process.
      next?.catch(() => undefined);
      if (rows.length > 0) yield rows;
    }
  }

  private async read(
    selected: SelectedRecords & { scannedMax: number; onlyShown: boolean },
    afterId: string | null,
  ): Promise<Batch> {
    const { selection, scannedMax, onlyShown } = selected;
    const scannedTo = isFiltered(selected) ? await this.endOfScan(selection, { afterId, scannedMax }) : null;
    const { rows } = await this.pool.query<ExportRow>({
      ...compileSql(exportBatch(selected, { afterId, scannedTo }, { limit: BATCH_ROWS, onlyShown })),
      rowMode: 'array',
    });
    return { rows, lastId: rows.length === BATCH_ROWS ? (rows.at(-1)?.[0] ?? null) : scannedTo };
  }

  /** The last id that the next query scans; null if the query reaches the end. */
  private async endOfScan(
    selection: ExportSelection,
    bounds: { afterId: string | null; scannedMax: number },
  ): Promise<string | null> {
    const { rows } = await this.pool.query<{ id: string }>(compileSql(endOfScan(selection, bounds)));
    return rows[0]?.id ?? null;
  }
}
