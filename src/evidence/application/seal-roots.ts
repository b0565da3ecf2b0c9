import { hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { OutboxService } from '../../outbox/outbox.service.js';
import { InjectSettings } from '../../settings/inject-settings.js';
import { type EvidenceSettings, evidenceSettings } from '../evidence.settings.js';
import { appendEntries } from '../domain/append-entries.js';
import { ROOT_LOG } from '../domain/log.js';
import { lockLogs, writeGrowth } from '../infrastructure/log-rows.js';
import { LogSigner } from './log-signer.js';
import { askToSign } from './sequencer.js';

/** Projects' checkpoints that one transaction seals. */
const CHECKPOINTS_MAX = 5_000;

/** The root log's entry for a project's signed checkpoint: its hash, which does not reveal its size. */
export function rootEntryOf(note: string): Buffer {
  return hash('sha256', note, 'buffer');
}

/** Gives the projects' newest checkpoints their places in the log of all, once in EVIDENCE_ROOT_SECONDS at most. */
@Injectable()
export class SealRoots {
  constructor(
    private readonly em: EntityManager,
    private readonly outbox: OutboxService,
    private readonly signer: LogSigner,
    @InjectSettings(evidenceSettings) private readonly settings: EvidenceSettings,
  ) {}

  /** Whether there is more to seal at once. */
  step(): Promise<boolean> {
    return this.em.fork().transactional(async (tx) => {
      const kysely = tx.getKysely();
      const [root] = await lockLogs(tx, [{ log: ROOT_LOG, origin: this.signer.originOf(ROOT_LOG) }]);
      if (!root) return false;
      const { rows } = await sql<{ log: string; size: number; checkpoint: string }>`
        select l.log, l.checkpoint_size::float8 as size, l.checkpoint from evidence_log l
        where l.log <> ${ROOT_LOG} and l.checkpoint is distinct from l.rooted_checkpoint and l.checkpoint is not null
          and not exists (select from evidence_root_entry e where e.log = l.log and e.checkpoint = l.checkpoint)
          and exists (select from evidence_log r where r.log = ${ROOT_LOG}
                      and (r.size = 0 or r.appended_at <= now() - make_interval(secs => ${this.settings.rootSeconds})))
        order by l.log limit ${CHECKPOINTS_MAX}
      `.execute(kysely);
      if (rows.length === 0) return false;
      const entries = rows.map(({ checkpoint }) => rootEntryOf(checkpoint));
      await sql`
        insert into evidence_root_entry (root_index, log, size, checkpoint)
        select * from unnest(
          ${rows.map((_row, at) => root.size + at)}::bigint[], ${rows.map(({ log }) => log)}::uuid[],
          ${rows.map(({ size }) => size)}::bigint[], ${rows.map(({ checkpoint }) => checkpoint)}::text[]
        )
      `.execute(kysely);
      await writeGrowth(tx, [{ log: ROOT_LOG, ...appendEntries(root.edge, entries) }]);
      await askToSign(tx, this.outbox, [root]);
      return rows.length === CHECKPOINTS_MAX;
    });
  }
}

/** Records which checkpoints of logs a signed checkpoint of the root log covers, up to its size. */
export async function coverRootEntries(tx: EntityManager, size: number): Promise<void> {
  await sql`
    with covered as (
      delete from evidence_root_entry where root_index < ${size} returning root_index, log, size, checkpoint
    ), newest as (
      select distinct on (log) * from covered order by log, root_index desc
    )
    update evidence_log l
    set rooted_size = newest.size, rooted_checkpoint = newest.checkpoint, root_index = newest.root_index
    from newest where l.log = newest.log and (
      l.rooted_size < newest.size or (l.rooted_size = newest.size and l.rooted_checkpoint <> newest.checkpoint)
    )
  `.execute(tx.getKysely());
}
