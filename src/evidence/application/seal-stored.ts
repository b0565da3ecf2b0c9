import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { ConsentEvents, type StoredEvent, type StoredPlace } from '../../consent/consent.events.js';
import { consentKey } from '../../consent/domain/consent-recorded.js';
import { recordBody } from '../../consent/domain/record-body.js';
import { OutboxService } from '../../outbox/outbox.service.js';
import { monthStart } from '../../shared/months.js';
import { uuidTimeMs } from '../../shared/ids.js';
import { allowUpkeepTime } from '../../shared/statement-time.js';
import { commitmentOf, erasureBody } from '../domain/commitment.js';
import { appendEntries } from '../domain/append-entries.js';
import { nextStretchMs } from '../domain/seal-pace.js';
import { LOG_GROWN, logMessage } from '../evidence.events.js';
import { LeafPartitions } from '../infrastructure/leaf-partitions.js';
import { type Growth, lockLogs, writeGrowth } from '../infrastructure/log-rows.js';
import { LogSigner } from './log-signer.js';

/** Records and erasures that one transaction gives their places: about two seconds. */
export const STEP_MAX = 20_000;
const SALT_BYTES = 32;
/** A log that was asked for so long ago, and is not signed, is asked for once more: its message may have been lost. */
const ASK_AGAIN = '10 minutes';

/** A leaf and where it stands. */
interface PlacedLeaf {
  event: StoredEvent;
  index: number;
  salt: Buffer;
}

/**
 * Gives what was stored and erased since the last time its place in the log of its project: order, places, edges and
 * full tiles are decided in one transaction, which moves the mark. Whatever comes after it (storage, signature) only writes
 * what was decided, so that after a crash anywhere the next run ends in the same bytes, and no place is given twice.
 */
@Injectable()
export class SealStored {
  private stretchMs = 60_000;

  constructor(
    private readonly em: EntityManager,
    private readonly events: ConsentEvents,
    private readonly outbox: OutboxService,
    private readonly signer: LogSigner,
    private readonly partitions: LeafPartitions,
  ) {}

  /** One step; whether there is more to do. Nothing, while another worker is at it. */
  step(): Promise<boolean> {
    return this.em.fork().transactional(async (tx) => {
      await allowUpkeepTime(tx);
      const slice = await this.nextSlice(tx);
      if (!slice) return false;
      const { after, before, isLast } = slice;
      const stored = await this.events.storedSince(tx, { after, before, limit: STEP_MAX });
      this.stretchMs = nextStretchMs({
        ...{ stretchMs: this.stretchMs, found: stored.length, foundMax: STEP_MAX },
        takenMs: (stored.at(-1)?.instant.getTime() ?? 0) - Date.parse(after.at),
      });
      if (stored.length > 0) await this.seal(tx, stored);
      const last = stored.length === STEP_MAX ? stored.at(-1) : undefined;
      await moveMark(tx, last ?? beginOf(before));
      return last !== undefined || !isLast;
    });
  }

  private async nextSlice(
    tx: EntityManager,
  ): Promise<{ after: StoredPlace; before: string; isLast: boolean } | null> {
    const { rows } = await sql<StoredPlace>`
      select at::text as at, project_id as "projectId", id, is_erasure as "isErasure"
      from evidence_mark for update skip locked
    `.execute(tx.getKysely());
    const [after] = rows;
    if (!after) return null;
    const until = await this.events.completeUntil(tx);
    const { rows: slices } = await sql<{ before: string; isLast: boolean }>`
      select least(${until}::timestamptz, stretched)::text as before, ${until}::timestamptz <= stretched as "isLast"
      from (select ${after.at}::timestamptz + make_interval(secs => ${this.stretchMs / 1000}) as stretched) s
      where ${until}::timestamptz > ${after.at}::timestamptz
    `.execute(tx.getKysely());
    return slices[0] ? { after, ...slices[0] } : null;
  }

  private async seal(tx: EntityManager, stored: readonly StoredEvent[]): Promise<void> {
    const byProject = Map.groupBy(stored, ({ projectId }) => projectId);
    const wanted = [...byProject.keys()].map((log) => ({ log, origin: this.signer.originOf(log) }));
    const unsalted = stored.flatMap(({ record }) => (record && record.salt === null ? [record] : []));
    for (const record of unsalted) record.salt = randomBytes(SALT_BYTES);
    if (unsalted.length > 0) await this.events.giveSalts(tx, unsalted);
    const logs = await lockLogs(tx, wanted);
    const leaves: PlacedLeaf[] = [];
    const growths: Growth[] = [];
    for (const { log, size, edge } of logs) {
      const placed = (byProject.get(log) ?? []).map((event, at) => placedLeaf(event, size + at));
      leaves.push(...placed);
      growths.push({ log, ...appendEntries(edge, placed.map(entryOf)) });
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
    rows.map(({ log }) => logMessage(LOG_GROWN, log)),
  );
}

function placedLeaf(event: StoredEvent, index: number): PlacedLeaf {
  return { event, index, salt: event.record?.salt ?? randomBytes(SALT_BYTES) };
}

function entryOf({ event: { record, id, instant }, salt }: PlacedLeaf): Buffer {
  return commitmentOf(salt, record ? recordBody(record) : erasureBody(id, instant));
}

/** A record that was erased has the place of its erasure from then on, and one that is stored anew its own. */
async function writeLeaves(tx: EntityManager, placed: readonly PlacedLeaf[]): Promise<void> {
  const leaves = [...new Map(placed.map((leaf) => [consentKeyOf(leaf), leaf])).values()];
  await sql`
    insert into evidence_leaf (project_id, consent_id, leaf_index, salt)
    select * from unnest(
      ${leaves.map(({ event }) => event.projectId)}::uuid[], ${leaves.map(({ event }) => event.id)}::uuid[],
      ${leaves.map(({ index }) => index)}::bigint[],
      ${leaves.map(({ event, salt }) => (event.isErasure ? salt : null))}::bytea[]
    )
    on conflict (project_id, consent_id) do update set leaf_index = excluded.leaf_index, salt = excluded.salt
  `.execute(tx.getKysely());
}

const consentKeyOf = ({ event: { projectId, id } }: PlacedLeaf): string =>
  consentKey({ projectId, consentId: id });

async function moveMark(tx: EntityManager, { at, projectId, id, isErasure }: StoredPlace): Promise<void> {
  await sql`
    update evidence_mark set at = ${at}::timestamptz, project_id = ${projectId}, id = ${id}, is_erasure = ${isErasure}
  `.execute(tx.getKysely());
}

/** Before everything of an instant. */
function beginOf(at: string): StoredPlace {
  const nothing = '00000000-0000-0000-0000-000000000000';
  return { at, projectId: nothing, id: nothing, isErasure: false };
}

function monthsOf(stored: readonly StoredEvent[]): Date[] {
  const months = stored.map(({ id }) => monthStart(new Date(uuidTimeMs(id)), 0).getTime());
  return [...new Set(months)].map((ms) => new Date(ms));
}
