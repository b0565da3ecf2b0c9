import { randomBytes } from 'node:crypto';
import { Injectable, Logger } from '@nestjs/common';
import { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { ConsentRecords, type Horizon, type StoredEvent } from '../../consent/consent.records.js';
import { consentKey } from '../../consent/domain/consent-recorded.js';
import { recordBody } from '../../consent/domain/record-body.js';
import { OutboxService } from '../../outbox/outbox.service.js';
import { monthStart } from '../../shared/months.js';
import { uuidTimeMs } from '../../shared/ids.js';
import { allowMaintenanceTime } from '../../database/statement-time.js';
import { commitmentOf, erasureBody } from '../domain/commitment.js';
import { appendEntries } from '../domain/append-entries.js';
import { FIRST_STRETCH, nextStretch } from '../domain/seal-pace.js';
import { CHECKPOINT_DUE, logMessage } from '../evidence.events.js';
import {
  adoptServer,
  beginOf,
  type Cursor,
  isOfOtherServer,
  lockCursor,
  moveCursor,
  nameServer,
  nextBackfill,
  noteBackfill,
  placedAmong,
} from '../infrastructure/cursor-rows.js';
import { LeafPartitions } from '../infrastructure/leaf-partitions.js';
import { type Growth, lockLogs, writeGrowth } from '../infrastructure/log-rows.js';
import { LogSigner } from './log-signer.js';

/** Records and erasures that one transaction sequences: about two seconds. */
const STEP_MAX = 20_000;
const SALT_BYTES = 32;
/** A log that was due this long ago and is not signed gets another message: the first may have been lost. */
const ASK_AGAIN = '10 minutes';

/** A leaf and where it stands. */
interface PlacedLeaf {
  event: StoredEvent;
  /** Number of the log that has it. */
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
  private stretch = FIRST_STRETCH;

  constructor(
    private readonly em: EntityManager,
    private readonly records: ConsentRecords,
    private readonly outbox: OutboxService,
    private readonly signer: LogSigner,
    private readonly partitions: LeafPartitions,
  ) {}

  /** Does nothing while another worker holds the cursor. */
  sequenceBatch(): Promise<boolean> {
    return this.em.fork().transactional(async (tx) => {
      await allowMaintenanceTime(tx);
      const cursor = await lockCursor(tx);
      if (!cursor) return false;
      const horizon = await this.records.completeBelow(tx);
      if (isOfOtherServer(cursor, horizon)) {
        this.logger.warn('the database has moved to another server; scanning all records once');
        await adoptServer(tx, horizon);
        return true;
      }
      if (cursor.cluster !== horizon.cluster) await nameServer(tx, horizon.cluster);
      return (await this.sequenceNew(tx, cursor, horizon)) || (await this.backfill(tx, cursor));
    });
  }

  /** Sequences what is behind the cursor; returns whether there is more. */
  private async sequenceNew(tx: EntityManager, cursor: Cursor, horizon: Horizon): Promise<boolean> {
    const [from, to] = [BigInt(cursor.xid), BigInt(horizon.xid)];
    const stretched = from + BigInt(this.stretch);
    const isLast = to <= stretched;
    const before = String(isLast ? to : stretched);
    const stored =
      from < to ? await this.records.storedSince(tx, { after: cursor, before, limit: STEP_MAX }) : [];
    const last = stored.at(-1);
    this.stretch = nextStretch({
      ...{ stretch: this.stretch, found: stored.length, foundMax: STEP_MAX },
      taken: last ? Number(BigInt(last.xid) - from) : 0,
    });
    await this.seal(tx, stored);
    const isFull = stored.length === STEP_MAX;
    if (isFull && last) await moveCursor(tx, { ...last, at: last.instant.toISOString() });
    else await moveCursor(tx, { ...beginOf(before), at: isLast ? horizon.at : cursor.at });
    return isFull || !isLast;
  }

  /** Looks through a page of a project's records for those that have no place; returns whether there is more. */
  private async backfill(tx: EntityManager, { beginsAt }: Cursor): Promise<boolean> {
    const next = await nextBackfill(tx);
    if (!next) return false;
    const page = await this.records.storedOfProject(tx, { ...next, since: beginsAt, limit: STEP_MAX });
    await this.seal(tx, page);
    const afterId = page.length === STEP_MAX ? (page.at(-1)?.id ?? null) : null;
    await noteBackfill(tx, { projectId: next.projectId, afterId });
    return true;
  }

  private async seal(tx: EntityManager, found: readonly StoredEvent[]): Promise<void> {
    const placed = found.length > 0 ? await placedAmong(tx, found) : null;
    const stored = found.filter((_event, at) => !placed?.has(at));
    if (stored.length === 0) return;
    const byProject = Map.groupBy(stored, ({ projectId }) => projectId);
    const wanted = [...byProject.keys()].map((log) => ({ log, origin: this.signer.originOf(log) }));
    const unsalted = stored.flatMap(({ record }) => (record && record.salt === null ? [record] : []));
    for (const record of unsalted) record.salt = randomBytes(SALT_BYTES);
    if (unsalted.length > 0) await this.records.giveSalts(tx, unsalted);
    const logs = await lockLogs(tx, wanted);
    const leaves: PlacedLeaf[] = [];
    const growths: Growth[] = [];
    for (const { log, epoch, size, edge } of logs) {
      const added = (byProject.get(log) ?? []).map((event, at) =>
        placedLeaf(event, { epoch, index: size + at }),
      );
      leaves.push(...added);
      growths.push({ log, ...appendEntries(edge, added.map(entryOf)) });
    }
    await this.partitions.ensure(monthsOf(stored));
    await writeLeaves(tx, leaves);
    await writeGrowth(tx, growths);
    await askToSign(tx, this.outbox, logs);
  }
}

/** Asks for the signature of logs that were signed up to where they were; the others were asked for already. */
export async function askToSign(
  tx: EntityManager,
  outbox: OutboxService,
  logs: readonly { log: string; size: number; checkpointSize: number }[],
): Promise<void> {
  const { rows } = await sql<{ log: string }>`
    update evidence_log set asked_at = now()
    where log = any(${logs.map(({ log }) => log)}::uuid[])
      and (asked_at is null or asked_at < now() - ${ASK_AGAIN}::interval
           or log = any(${logs.filter(({ size, checkpointSize }) => size === checkpointSize).map(({ log }) => log)}::uuid[]))
    returning log
  `.execute(tx.getKysely());
  await outbox.appendMany(
    tx,
    rows.map(({ log }) => logMessage(CHECKPOINT_DUE, log)),
  );
}

function placedLeaf(event: StoredEvent, place: Pick<PlacedLeaf, 'epoch' | 'index'>): PlacedLeaf {
  return { event, ...place, salt: event.record?.salt ?? randomBytes(SALT_BYTES) };
}

function entryOf({ event: { record, id, instant }, salt }: PlacedLeaf): Buffer {
  return commitmentOf(salt, record ? recordBody(record) : erasureBody(id, instant));
}

/** An erased record has the leaf of its erasure from then on; a record stored again gets a new leaf. */
async function writeLeaves(tx: EntityManager, placed: readonly PlacedLeaf[]): Promise<void> {
  const leaves = [...new Map(placed.map((leaf) => [consentKeyOf(leaf), leaf])).values()];
  await sql`
    insert into evidence_leaf (project_id, consent_id, leaf_index, epoch, salt)
    select * from unnest(
      ${leaves.map(({ event }) => event.projectId)}::uuid[], ${leaves.map(({ event }) => event.id)}::uuid[],
      ${leaves.map(({ index }) => index)}::bigint[], ${leaves.map(({ epoch }) => epoch)}::int[],
      ${leaves.map(({ event, salt }) => (event.isErasure ? salt : null))}::bytea[]
    )
    on conflict (project_id, consent_id) do update set leaf_index = excluded.leaf_index, epoch = excluded.epoch, salt = excluded.salt
  `.execute(tx.getKysely());
}

const consentKeyOf = ({ event: { projectId, id } }: PlacedLeaf): string =>
  consentKey({ projectId, consentId: id });

function monthsOf(stored: readonly StoredEvent[]): Date[] {
  const months = stored.map(({ id }) => monthStart(new Date(uuidTimeMs(id)), 0).getTime());
  return [...new Set(months)].map((ms) => new Date(ms));
}
