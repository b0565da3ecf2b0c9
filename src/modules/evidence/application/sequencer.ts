import { randomBytes } from 'node:crypto';
import { setImmediate as turnOfOthers } from 'node:timers/promises';
import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { allowMaintenanceTime } from '../../../platform/database/tables.js';
import { uuidTimeMs } from '../../../platform/identity/ids.js';
import { backgroundJob, DONE } from '../../../platform/outbox/outbox.handler.js';
import type { AttemptResult } from '../../../platform/outbox/domain/outbox-message.js';
import { OutboxService } from '../../../platform/outbox/outbox.service.js';
import { outboxSettings, type OutboxSettings } from '../../../platform/outbox/outbox.settings.js';
import { InjectSettings } from '../../../platform/settings/inject-settings.js';
import { monthStart } from '../../../platform/time/instant.js';
import {
  ConsentRecords,
  type Horizon,
  issueSalts,
  type StoredEvent,
  storedOfProject,
  storedSince,
} from '../../consent/consent.records.js';
import { consentKey, recordBody } from '../../consent/domain/consent-recorded.js';
import { appendEntries, type LogEdge } from '../domain/log.js';
import { computeCommitment, erasureBody } from '../domain/commitment.js';
import type { Tile } from '../domain/tile.js';
import { FIRST_WINDOW, nextWindow } from '../domain/transaction-window.js';
import { requestCheckpoints, SEQUENCING_DUE } from '../evidence.events.js';
import {
  adoptServer,
  type Cursor,
  isFromOtherServer,
  lockCursor,
  lockNextBackfill,
  moveCursor,
  saveBackfill,
  saveServer,
  startOfTransaction,
} from '../infrastructure/cursor.rows.js';
import { lockUnsequenced, saveEntryLeaves, type EntryLeaf } from '../infrastructure/entry.rows.js';
import { findSequenced, insertLeaves, LeafPartitions, type NewLeaf } from '../infrastructure/leaf.rows.js';
import { writeGrowth, type StoredLog } from '../infrastructure/log.rows.js';
import { AnchorCheckpoints } from './anchor-checkpoints.js';
import { lockGrowingLogs } from './begin-log.js';
import { LogSigner } from './log-signer.js';

/**
 * Records and erasures that one transaction sequences, in some seconds. While another transaction
 * stays open, each of these leaves a dead version of every log's row, which readers must skip.
 */
const RECORDS_MAX = 60_000;
/** Of these, records and erasures that are in memory at once. */
const PAGE_SIZE = 2_000;
/** Records hashed in one slice of the event loop, between deliveries. */
const SLICE_MAX = 250;
/** Entries of other modules that one transaction sequences. */
const ENTRIES_MAX = 1_000;
const SALT_BYTES = 32;

/** A record or erasure with its leaf index. */
interface AssignedLeaf {
  event: StoredEvent;
  /** Epoch of the log that contains it. */
  epoch: number;
  index: number;
  salt: Buffer;
}

/** A log before and after appending. */
interface GrowingLog {
  before: StoredLog;
  edge: LogEdge;
  full: Tile[];
}

/** Logs that a transaction has locked, by project. */
interface GrowingLogs {
  byProject: Map<string, GrowingLog>;
  /** The number of logs that are created here. */
  logEpoch: number;
}

/**
 * Sequences records and erasures, and entries of other modules: one transaction decides their order, leaf indexes, the
 * edges of the trees and the full tiles, and moves the cursor. Later steps (storage, signature) only write what it decided. After a crash at any point the
 * next run produces the same bytes, and no leaf index is assigned twice.
 *
 * The order is that of transactions, and the cursor stays behind those in progress: neither a late commit nor a clock
 * step can put a record behind it. Records with a leaf index are skipped, so a record that is read twice is added once.
 * Entries of other modules are few: their rows without a leaf index are the queue.
 */
@Injectable()
export class Sequencer {
  private readonly logger = new Logger(Sequencer.name);
  private window = FIRST_WINDOW;

  constructor(
    private readonly em: EntityManager,
    private readonly records: ConsentRecords,
    private readonly outbox: OutboxService,
    private readonly signer: LogSigner,
    private readonly partitions: LeafPartitions,
  ) {}

  /** Sequences one batch; returns whether there is more. Does nothing while another worker has locked the cursor. */
  sequenceBatch(): Promise<boolean> {
    return this.em.fork().transactional(async (tx) => {
      await allowMaintenanceTime(tx);
      const cursor = await lockCursor(tx);
      if (!cursor) return false;
      const horizon = await this.records.committedHorizon(tx);
      if (isFromOtherServer(cursor, horizon)) {
        this.logger.warn('the database has moved to another server; scanning all records once');
        await adoptServer(tx, horizon);
        return true;
      }
      if (cursor.cluster !== horizon.cluster) await saveServer(tx, horizon.cluster);
      return (await this.sequenceNew(tx, cursor, horizon)) || (await this.backfill(tx, cursor));
    });
  }

  /** Sequences records after the cursor; returns whether there are more. */
  private async sequenceNew(tx: EntityManager, cursor: Cursor, horizon: Horizon): Promise<boolean> {
    const growing: GrowingLogs = { byProject: new Map(), logEpoch: cursor.logEpoch };
    const [from, to] = [BigInt(cursor.xid), BigInt(horizon.xid)];
    const windowEnd = from + BigInt(this.window);
    const isLast = to <= windowEnd;
    const before = String(isLast ? to : windowEnd);
    const slice = { after: cursor, before, limit: RECORDS_MAX, pageSize: PAGE_SIZE };
    let found = 0;
    let last: StoredEvent | undefined;
    for await (const page of from < to ? storedSince(tx, slice) : []) {
      await this.appendUnsequenced(tx, page, growing);
      found += page.length;
      last = page.at(-1);
    }
    this.window = nextWindow({
      window: this.window,
      found,
      batchMax: RECORDS_MAX,
      sequenced: last ? Number(BigInt(last.xid) - from) : 0,
    });
    const isFull = found === RECORDS_MAX;
    await moveCursor(
      tx,
      isFull && last
        ? { ...last, at: last.instant.toISOString() }
        : { ...startOfTransaction(before), at: isLast ? horizon.at : cursor.at },
    );
    const areMoreEntries = await this.sequenceEntries(tx, growing);
    await this.writeLogs(tx, growing);
    return isFull || !isLast || areMoreEntries;
  }

  /** Sequences entries of other modules, behind the records of the batch; returns whether there are more. */
  private async sequenceEntries(tx: EntityManager, growing: GrowingLogs): Promise<boolean> {
    const entries = await lockUnsequenced(tx, ENTRIES_MAX);
    const leaves: EntryLeaf[] = [];
    for (const [log, added] of await this.lockGrowing(tx, entries, growing)) {
      const { epoch } = log.before;
      const size = log.edge.tree.size;
      leaves.push(...added.map(({ projectId, id }, at) => ({ projectId, id, epoch, index: size + at })));
      grow(
        log,
        added.map(({ commitment }) => commitment),
      );
    }
    if (leaves.length > 0) await saveEntryLeaves(tx, leaves);
    return entries.length === ENTRIES_MAX;
  }

  /** Sequences a page of a project's records that have no leaf yet; returns whether there are more. */
  private async backfill(tx: EntityManager, { beginsAt, logEpoch }: Cursor): Promise<boolean> {
    const next = await lockNextBackfill(tx);
    if (!next) return false;
    const page = await storedOfProject(tx, { ...next, since: beginsAt, limit: PAGE_SIZE });
    const growing: GrowingLogs = { byProject: new Map(), logEpoch };
    await this.appendUnsequenced(tx, page, growing);
    await this.writeLogs(tx, growing);
    const afterId = page.length === PAGE_SIZE ? (page.at(-1)?.id ?? null) : null;
    await saveBackfill(tx, { projectId: next.projectId, afterId });
    return true;
  }

  /** Assigns leaves to records without one. `growing` collects the new rows of the logs. */
  private async appendUnsequenced(
    tx: EntityManager,
    found: readonly StoredEvent[],
    growing: GrowingLogs,
  ): Promise<void> {
    const sequenced = found.length > 0 ? await findSequenced(tx, found) : null;
    const stored = found.filter((_event, at) => !sequenced?.has(at));
    if (stored.length === 0) return;
    await this.addMissingSalts(tx, stored);
    const leaves: AssignedLeaf[] = [];
    let hashed = 0;
    for (const [log, events] of await this.lockGrowing(tx, stored, growing)) {
      for (let from = 0; from < events.length; from += SLICE_MAX) {
        const added = assignLeaves(log, events.slice(from, from + SLICE_MAX));
        leaves.push(...added);
        grow(log, added.map(logEntry));
        hashed += added.length;
        if (hashed < SLICE_MAX) continue;
        hashed = 0;
        await turnOfOthers();
      }
    }
    await this.partitions.ensure(listMonths(stored));
    await insertLeaves(tx, newestLeaves(leaves));
  }

  /**
   * Locks the logs of the appended items unless the transaction has done so; returns each log with
   * its items.
   */
  private async lockGrowing<Appended extends { projectId: string }>(
    tx: EntityManager,
    appended: readonly Appended[],
    { byProject: locked, logEpoch }: GrowingLogs,
  ): Promise<[GrowingLog, Appended[]][]> {
    const byProject = Map.groupBy(appended, ({ projectId }) => projectId);
    const unlocked = [...byProject.keys()].filter((log) => !locked.has(log));
    const options = { signer: this.signer, logEpoch };
    for (const before of unlocked.length > 0 ? await lockGrowingLogs(tx, unlocked, options) : [])
      locked.set(before.log, { before, edge: before.edge, full: [] });
    return [...byProject].flatMap(([log, own]): [GrowingLog, Appended[]][] => {
      const grown = locked.get(log);
      return grown ? [[grown, own]] : [];
    });
  }

  /** Writes the rows of the logs, once in a transaction, and requests their checkpoints. */
  private async writeLogs(tx: EntityManager, { byProject }: GrowingLogs): Promise<void> {
    if (byProject.size === 0) return;
    const grown = [...byProject.values()];
    await writeGrowth(
      tx,
      grown.map(({ before: { log }, edge, full }) => ({ log, edge, full })),
    );
    await requestCheckpoints(
      tx,
      this.outbox,
      grown.map(({ before }) => before),
    );
  }

  /** Records that were stored while evidence was off have no salt. */
  private async addMissingSalts(tx: EntityManager, stored: readonly StoredEvent[]): Promise<void> {
    const unsalted = stored.flatMap(({ record }) => (record && record.salt === null ? [record] : []));
    for (const record of unsalted) record.salt = randomBytes(SALT_BYTES);
    if (unsalted.length > 0) await issueSalts(tx, unsalted);
  }
}

function grow(log: GrowingLog, added: readonly Buffer[]): void {
  const { edge, full } = appendEntries(log.edge, added);
  log.edge = edge;
  log.full.push(...full);
}

/** Assigns the next leaf indexes of the log. */
function assignLeaves(
  { before: { epoch }, edge: { tree } }: GrowingLog,
  events: readonly StoredEvent[],
): AssignedLeaf[] {
  return events.map((event, at) => ({
    event,
    epoch,
    index: tree.size + at,
    salt: event.record?.salt ?? randomBytes(SALT_BYTES),
  }));
}

function logEntry({ event: { record, id, instant }, salt }: AssignedLeaf): Buffer {
  return computeCommitment(salt, record ? recordBody(record) : erasureBody(id, instant));
}

/** For a record that was stored and erased in one batch, only the last leaf is kept. */
function newestLeaves(assigned: readonly AssignedLeaf[]): NewLeaf[] {
  const leaves = assigned.map(({ event: { projectId, id, isErasure }, epoch, index, salt }) => ({
    projectId,
    consentId: id,
    epoch,
    index,
    salt: isErasure ? salt : null,
  }));
  return [...new Map(leaves.map((leaf) => [consentKey(leaf), leaf])).values()];
}

function listMonths(stored: readonly StoredEvent[]): Date[] {
  const months = stored.map(({ id }) => monthStart(new Date(uuidTimeMs(id)), 0).getTime());
  return [...new Set(months)].map((ms) => new Date(ms));
}

/** Usual time of a batch. A batch that has started is finished, also when the worker is stopping. */
const BATCH_USUAL_MS = 5_000;
/** Share of its lease for which one message sequences batches. */
const LEASE_SHARE = 1 / 4;

/** The outbox handler of `sequencing.due`: anchors new checkpoints in the root log, then sequences new records. */
@Injectable()
export class SequencerHandler implements OnModuleInit {
  constructor(
    private readonly outbox: OutboxService,
    private readonly sequencer: Sequencer,
    private readonly anchoring: AnchorCheckpoints,
    @InjectSettings(outboxSettings) private readonly settings: OutboxSettings,
  ) {}

  onModuleInit(): void {
    this.outbox.register(
      backgroundJob({
        topics: [SEQUENCING_DUE],
        // The cursor's row lock allows one sequencer at a time.
        slotsMax: 1,
        attemptMaxMs: BATCH_USUAL_MS,
        run: (_message, signal) => this.run(signal),
        // The next message continues from the cursor.
        abandoned: DONE,
      }),
    );
  }

  private async run(signal: AbortSignal): Promise<AttemptResult<null>> {
    const deadlineMs = performance.now() + this.settings.leaseMs * LEASE_SHARE;
    await this.anchoring.anchorBatch();
    while (await this.sequencer.sequenceBatch())
      if (signal.aborted || performance.now() > deadlineMs) return { kind: 'snooze', afterMs: 0 };
    return DONE;
  }
}
