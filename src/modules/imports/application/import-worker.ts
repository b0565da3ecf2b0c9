import { setTimeout as sleep } from 'node:timers/promises';
import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { backgroundJob, DONE } from '../../../platform/outbox/outbox.handler.js';
import {
  type AttemptResult,
  BUG_SCHEDULE,
  type OutboxMessage,
  projectOf,
} from '../../../platform/outbox/domain/outbox-message.js';
import { OutboxService } from '../../../platform/outbox/outbox.service.js';
import { monthStart } from '../../../platform/time/instant.js';
import { RecordRetention } from '../../consent/consent.records.js';
import { ImportedRecords } from '../../consent/imported-records.js';
import { writeEvents } from '../../events/event.log.js';
import {
  IMPORT_FILES_DELETED,
  IMPORT_REQUESTED,
  ImportFileError,
  type ImportState,
  WORKING_STATES,
} from '../domain/import.js';
import { advance, emptyProgress, type Refusal } from '../domain/progress.js';
import { ConsentImport } from '../infrastructure/import.entities.js';
import {
  findImport,
  type ImportRef,
  type ImportRow,
  listParts,
  lockImport,
  saveBatch,
} from '../infrastructure/import.rows.js';
import { type FileKey, ImportStorage } from '../infrastructure/import-storage.js';
import { PartsSource, type ReadBatch, readBatches, refusalsAsCsv, sampleOf } from './import-reader.js';

/** Imports that a worker reads at the same time: in all, and of one account. */
const SLOTS = 2;
const SLOTS_PER_ACCOUNT = 1;
/** After this time the import continues in another attempt, and imports of other accounts have their turn. */
const ATTEMPT_MS = 20_000;
/** An attempt that finds no batch until then fails: unpacking the file up to its position takes too long. */
const ATTEMPT_MAX_MS = 30_000;
/** A batch takes at least this long, at most 5,000 consents a second: visitors' requests come first. */
const BATCH_MIN_MS = 100;
/** Each batch commits, so a crash loses little; allow many. */
const TRIES_MAX = 50;
/** The import fails after this many attempts in a row without a batch. */
const IDLE_TRIES_MAX = 3;

const TOO_SLOW = {
  code: 'file_unreadable',
  detail: 'Unpacking the file takes too long. Send it as a ZIP of smaller files.',
} as const;
const UNREADABLE = {
  code: 'file_unreadable',
  detail: 'The service could not read the stored file. Import it again.',
} as const;

const refOf = (message: OutboxMessage): ImportRef => ({
  projectId: projectOf(message),
  id: message.subjectId,
});

const isWorking = (state: ImportState): boolean => (WORKING_STATES as readonly ImportState[]).includes(state);

/** The batch is stored by another worker, or the import was canceled. */
class Superseded extends Error {}

/** The batch conflicts with other records than expected; these do. */
class OtherConflicts extends Error {
  constructor(readonly refusals: Refusal[]) {
    super('other conflicts than expected');
  }
}

/**
 * Reads the files of imports. The position in the file is stored in the transaction of each batch, so after a crash the
 * next attempt continues with the next batch.
 */
@Injectable()
export class ImportWorker implements OnModuleInit {
  constructor(
    private readonly em: EntityManager,
    private readonly outbox: OutboxService,
    private readonly records: ImportedRecords,
    private readonly retention: RecordRetention,
    private readonly storage: ImportStorage,
  ) {}

  onModuleInit(): void {
    this.outbox.register(
      backgroundJob({
        topics: [IMPORT_REQUESTED],
        retry: { ...BUG_SCHEDULE, failuresMax: TRIES_MAX, abandonedAttemptsMax: TRIES_MAX },
        slotsMax: SLOTS,
        slotsPerKeyMax: SLOTS_PER_ACCOUNT,
        attemptMaxMs: ATTEMPT_MAX_MS,
        run: (message, signal) => this.run(message, signal),
        abandoned: { kind: 'dead', error: 'The service was interrupted on every attempt to import.' },
        failed: async (tx, message, { kind }) => {
          if (kind === 'dead') await endImport(tx, refOf(message), { state: 'failed', failure: UNREADABLE });
        },
      }),
    );
    this.outbox.register(
      backgroundJob({
        topics: [IMPORT_FILES_DELETED],
        attemptMaxMs: ATTEMPT_MAX_MS,
        run: async ({ subjectId }) => {
          await this.storage.removeProject(subjectId);
          return DONE;
        },
        abandoned: { kind: 'dead', error: 'The service was interrupted on every attempt to delete files.' },
      }),
    );
  }

  private async run(message: OutboxMessage, signal: AbortSignal): Promise<AttemptResult<null>> {
    const ref = refOf(message);
    const attempt: ReadAttempt = { stopped: signal, late: null, batches: 0 };
    try {
      return await this.read(ref, attempt);
    } catch (error) {
      const isLate = attempt.late?.aborted ?? false;
      const isCut = signal.aborted || (isLate && attempt.batches > 0);
      if (error instanceof Superseded || isCut) return { kind: 'snooze', afterMs: 0 };
      if (isLate) return this.countIdle(ref);
      if (!(error instanceof ImportFileError)) throw error;
      return this.fail(ref, { code: error.code, detail: error.message });
    }
  }

  private async read(ref: ImportRef, attempt: ReadAttempt): Promise<AttemptResult<null>> {
    let row = await findImport(this.em.fork(), ref);
    if (!row || !isWorking(row.state)) return DONE;
    const key = this.storage.openKey(row);
    if (!key) return DONE;
    const hashes = (await listParts(this.em.fork(), ref)).map(({ sha256 }) => sha256);
    const parts = { ...ref, size: row.size, key, hashes };
    if (row.sha256 === null) {
      const sha256 = await new PartsSource(this.storage, { ...parts, signal: attempt.stopped }).hash();
      await this.em.fork().nativeUpdate(ConsentImport, ref, { sha256 });
      row = { ...row, sha256 };
    }
    attempt.late = AbortSignal.timeout(ATTEMPT_MAX_MS);
    const signal = AbortSignal.any([attempt.stopped, attempt.late]);
    const file = new PartsSource(this.storage, { ...parts, signal });
    const now = new Date();
    const { projectId, profile, mapping } = row;
    const rules = { projectId, profile, mapping, now, keptSince: this.retention.keptSince(now) };
    const from = (row.progress ?? emptyProgress()).position;
    const months = new Set<number>();
    let until = Infinity;
    for await (const batch of readBatches(file, profile, { from, rules })) {
      if (row.state === 'running') await this.preparePartitions(batch, months);
      const batchMs = performance.now();
      row = await this.save(row, { batch, bytesRead: file.bytesRead, key });
      attempt.batches += 1;
      // Unpacking the file up to the position is no work that another attempt would continue.
      until = Math.min(until, batchMs + ATTEMPT_MS);
      if (row.state === 'running') await sleep(Math.max(0, BATCH_MIN_MS - (performance.now() - batchMs)));
      if (signal.aborted || performance.now() > until) return { kind: 'snooze', afterMs: 0 };
    }
    await this.end(ref, { state: row.state === 'checking' ? 'checked' : 'finished', failure: null });
    return DONE;
  }

  /** Months in which consents were given may be older than the service. */
  private async preparePartitions(batch: ReadBatch, prepared: Set<number>): Promise<void> {
    for (const { givenAt } of batch.consents) {
      const month = monthStart(givenAt, 0);
      if (prepared.has(month.getTime())) continue;
      await this.records.prepare({ from: month, to: month });
      prepared.add(month.getTime());
    }
  }

  /**
   * Stores a batch, or only counts it in a dry run. Refused rows are written before the transaction, which is repeated if
   * it finds conflicts that they do not contain.
   */
  private async save(row: ImportRow, read: SavedBatch, conflicts: Refusal[] = []): Promise<ImportRow> {
    const { batch, key } = read;
    const refusals = [...batch.refusals, ...conflicts].toSorted((a, b) => a.row - b.row);
    const progress = row.progress ?? emptyProgress();
    if (refusals.length > 0) {
      const chunk = { chunk: progress.refusalChunks + 1, csv: refusalsAsCsv(refusals) };
      await this.storage.putRefusals(row, key, chunk);
    }
    const advanced = advance(progress, {
      position: batch.position,
      bytesRead: read.bytesRead,
      refusals,
      unmapped: batch.unmapped,
      dropped: batch.dropped,
      sample: row.state === 'checking' ? sampleOf(batch) : [],
    });
    try {
      const counts = await this.em
        .fork()
        .transactional((tx) => this.store(tx, row, { batch, conflicts, progress: advanced }));
      return {
        ...row,
        progress: advanced,
        rowsRead: row.rowsRead + counts.rows,
      };
    } catch (error) {
      if (error instanceof OtherConflicts) return this.save(row, read, error.refusals);
      throw error;
    }
  }

  private async store(
    tx: EntityManager,
    row: ImportRow,
    {
      batch,
      conflicts,
      progress,
    }: { batch: ReadBatch; conflicts: Refusal[]; progress: ImportRow['progress'] },
  ): Promise<{ rows: number }> {
    const { projectId, id, forward } = row;
    const records = batch.consents.map(({ consent }) => consent);
    const outcomes =
      row.state === 'checking'
        ? await this.records.judge(projectId, records)
        : await this.records.store(tx, { projectId, importId: id, records, forward });
    const found = outcomes.flatMap((outcome, index) => {
      const refusal = batch.consents[index]?.refusal;
      return refusal && (outcome === 'conflict' || outcome === 'erased')
        ? [{ ...refusal, reason: outcome }]
        : [];
    });
    if (JSON.stringify(found) !== JSON.stringify(conflicts)) throw new OtherConflicts(found);
    const counts = {
      rows: batch.rows,
      stored: outcomes.filter((outcome) => outcome === 'stored').length,
      repeated: batch.repeated + outcomes.filter((outcome) => outcome === 'repeated').length,
      refused: batch.refusals.length + conflicts.length,
    };
    if (!progress || !(await saveBatch(tx, row, { progress, counts }))) throw new Superseded();
    return counts;
  }

  /** Continues in another attempt, unless too many in a row have stored no batch. */
  private async countIdle(ref: ImportRef): Promise<AttemptResult<null>> {
    const isLast = await this.em.fork().transactional(async (tx) => {
      const row = await lockImport(tx, ref);
      const progress = row?.progress ?? emptyProgress();
      const idleTries = (progress.idleTries ?? 0) + 1;
      if (idleTries < IDLE_TRIES_MAX)
        await tx.nativeUpdate(ConsentImport, ref, { progress: { ...progress, idleTries } });
      return idleTries >= IDLE_TRIES_MAX;
    });
    return isLast ? this.fail(ref, TOO_SLOW) : { kind: 'snooze', afterMs: 0 };
  }

  private async fail(ref: ImportRef, failure: NonNullable<ImportRow['failure']>): Promise<typeof DONE> {
    await this.end(ref, { state: 'failed', failure });
    return DONE;
  }

  private end(ref: ImportRef, end: ImportEnd): Promise<void> {
    return this.em.fork().transactional((tx) => endImport(tx, ref, end));
  }
}

/** How far an attempt got. */
interface ReadAttempt {
  stopped: AbortSignal;
  /** Set when it begins to read rows. */
  late: AbortSignal | null;
  /** Saved batches. */
  batches: number;
}

interface ImportEnd {
  state: 'checked' | 'finished' | 'failed';
  failure: ImportRow['failure'];
}

/** Ends the reading of an import, unless it has ended. */
async function endImport(tx: EntityManager, ref: ImportRef, { state, failure }: ImportEnd): Promise<void> {
  const row = await lockImport(tx, ref);
  if (!row || !isWorking(row.state)) return;
  await tx.nativeUpdate(ConsentImport, ref, {
    state,
    failure,
    ...(state !== 'checked' && { endedAt: new Date() }),
  });
  if (state !== 'checked') await writeFinished(tx, row, state);
}

interface SavedBatch {
  batch: ReadBatch;
  bytesRead: number;
  key: FileKey;
}

/** Writes `import.finished`, in the transaction that ends the import. */
export async function writeFinished(
  tx: EntityManager,
  { projectId, id, stored, repeated, refused }: ImportRow,
  state: 'finished' | 'failed' | 'canceled',
): Promise<void> {
  await writeEvents(tx, projectId, [
    { type: 'import.finished', id, data: { state, stored, repeated, refused } },
  ]);
}
