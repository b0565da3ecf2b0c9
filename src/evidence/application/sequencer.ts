import { randomBytes } from 'node:crypto';
import { Injectable, Logger } from '@nestjs/common';
import { EntityManager } from '@mikro-orm/postgresql';
import { ConsentRecords, type Horizon, type StoredEvent } from '../../consent/consent.records.js';
import { consentKey } from '../../consent/domain/consent-recorded.js';
import { recordBody } from '../../consent/domain/record-body.js';
import { allowMaintenanceTime } from '../../database/statement-time.js';
import { OutboxService } from '../../outbox/outbox.service.js';
import { uuidTimeMs } from '../../shared/ids.js';
import { monthStart } from '../../shared/months.js';
import { appendEntries } from '../domain/append-entries.js';
import { computeCommitment, erasureBody } from '../domain/commitment.js';
import { FIRST_WINDOW, nextWindow } from '../domain/transaction-window.js';
import { lockNextBackfill, saveBackfill } from '../infrastructure/backfill.rows.js';
import {
  adoptServer,
  type Cursor,
  isFromOtherServer,
  lockCursor,
  moveCursor,
  saveServer,
  startOfTransaction,
} from '../infrastructure/cursor.rows.js';
import { findSequenced, insertLeaves, type NewLeaf } from '../infrastructure/leaf.rows.js';
import { LeafPartitions } from '../infrastructure/leaf-partitions.js';
import { type Growth, lockLogs, writeGrowth } from '../infrastructure/log.rows.js';
import { LogSigner } from './log-signer.js';
import { requestCheckpoints } from './request-checkpoints.js';

/** Records and erasures that one transaction sequences: about two seconds. */
const BATCH_MAX = 20_000;
const SALT_BYTES = 32;

/** A record or erasure with its leaf index. */
interface AssignedLeaf {
  event: StoredEvent;
  /** Epoch of the log that contains it. */
  epoch: number;
  index: number;
  salt: Buffer;
}

/** Sequences one batch; returns whether there is more. */
export interface BatchSequencer {
  sequenceBatch(): Promise<boolean>;
}

/** Injects the sequencer of this process: the `Sequencer` itself, or one that runs it on a thread. */
export const BATCH_SEQUENCER = Symbol('batch sequencer');

/**
 * Sequences records and erasures: one transaction decides their order, leaf indexes, the edges of the trees and the full
 * tiles, and moves the cursor. Later steps (storage, signature) only write what it decided. After a crash at any point the
 * next run produces the same bytes, and no leaf index is assigned twice.
 *
 * The order is that of transactions, and the cursor stays behind those in progress: neither a late commit nor a clock
 * step can put a record behind it. Records with a leaf index are skipped, so a record that is read twice is added once.
 */
@Injectable()
export class Sequencer implements BatchSequencer {
  private readonly logger = new Logger(Sequencer.name);
  private window = FIRST_WINDOW;

  constructor(
    private readonly em: EntityManager,
    private readonly records: ConsentRecords,
    private readonly outbox: OutboxService,
    private readonly signer: LogSigner,
    private readonly partitions: LeafPartitions,
  ) {}

  /** Does nothing while another worker has locked the cursor. */
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
    const [from, to] = [BigInt(cursor.xid), BigInt(horizon.xid)];
    const windowEnd = from + BigInt(this.window);
    const isLast = to <= windowEnd;
    const before = String(isLast ? to : windowEnd);
    const stored =
      from < to ? await this.records.storedSince(tx, { after: cursor, before, limit: BATCH_MAX }) : [];
    const last = stored.at(-1);
    this.window = nextWindow({
      ...{ window: this.window, found: stored.length, batchMax: BATCH_MAX },
      sequenced: last ? Number(BigInt(last.xid) - from) : 0,
    });
    await this.appendUnsequenced(tx, stored);
    const isFull = stored.length === BATCH_MAX;
    if (isFull && last) await moveCursor(tx, { ...last, at: last.instant.toISOString() });
    else await moveCursor(tx, { ...startOfTransaction(before), at: isLast ? horizon.at : cursor.at });
    return isFull || !isLast;
  }

  /** Sequences a page of a project's records that have no leaf yet; returns whether there are more. */
  private async backfill(tx: EntityManager, { beginsAt }: Cursor): Promise<boolean> {
    const next = await lockNextBackfill(tx);
    if (!next) return false;
    const page = await this.records.storedOfProject(tx, { ...next, since: beginsAt, limit: BATCH_MAX });
    await this.appendUnsequenced(tx, page);
    const afterId = page.length === BATCH_MAX ? (page.at(-1)?.id ?? null) : null;
    await saveBackfill(tx, { projectId: next.projectId, afterId });
    return true;
  }

  private async appendUnsequenced(tx: EntityManager, found: readonly StoredEvent[]): Promise<void> {
    const sequenced = found.length > 0 ? await findSequenced(tx, found) : null;
    const stored = found.filter((_event, at) => !sequenced?.has(at));
    if (stored.length === 0) return;
    await this.addMissingSalts(tx, stored);
    const byProject = Map.groupBy(stored, ({ projectId }) => projectId);
    const logs = await lockLogs(
      tx,
      [...byProject.keys()].map((log) => ({ log, origin: this.signer.logOrigin(log) })),
    );
    const leaves: AssignedLeaf[] = [];
    const growths: Growth[] = [];
    for (const { log, epoch, size, edge } of logs) {
      const added = (byProject.get(log) ?? []).map((event, at) =>
        assignLeaf(event, { epoch, index: size + at }),
      );
      leaves.push(...added);
      growths.push({ log, ...appendEntries(edge, added.map(logEntry)) });
    }
    await this.partitions.ensure(listMonths(stored));
    await insertLeaves(tx, newestLeaves(leaves));
    await writeGrowth(tx, growths);
    await requestCheckpoints(tx, this.outbox, logs);
  }

  /** Records that were stored while evidence was off have no salt. */
  private async addMissingSalts(tx: EntityManager, stored: readonly StoredEvent[]): Promise<void> {
    const unsalted = stored.flatMap(({ record }) => (record && record.salt === null ? [record] : []));
    for (const record of unsalted) record.salt = randomBytes(SALT_BYTES);
    if (unsalted.length > 0) await this.records.issueSalts(tx, unsalted);
  }
}

function assignLeaf(event: StoredEvent, position: Pick<AssignedLeaf, 'epoch' | 'index'>): AssignedLeaf {
  return { event, ...position, salt: event.record?.salt ?? randomBytes(SALT_BYTES) };
}

function logEntry({ event: { record, id, instant }, salt }: AssignedLeaf): Buffer {
  return computeCommitment(salt, record ? recordBody(record) : erasureBody(id, instant));
}

/** Of a record that was stored and erased in one batch, only the last leaf is kept. */
function newestLeaves(assigned: readonly AssignedLeaf[]): NewLeaf[] {
  const leaves = assigned.map(({ event: { projectId, id, isErasure }, epoch, index, salt }) => ({
    ...{ projectId, consentId: id, epoch, index },
    salt: isErasure ? salt : null,
  }));
  return [...new Map(leaves.map((leaf) => [consentKey(leaf), leaf])).values()];
}

function listMonths(stored: readonly StoredEvent[]): Date[] {
  const months = stored.map(({ id }) => monthStart(new Date(uuidTimeMs(id)), 0).getTime());
  return [...new Set(months)].map((ms) => new Date(ms));
}
