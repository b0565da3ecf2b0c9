import { Injectable, type OnModuleInit } from '@nestjs/common';
import { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { writeAudit } from '../../audit/audit.log.js';
import { Maintenance } from '../../shared/maintenance.js';
import { DRAFT_DAYS_KEPT } from '../domain/publishing.limits.js';

const EVERY_MS = 60 * 60_000;
/** Drafts that one transaction discards, and batches of one run. */
const BATCH_ROWS = 100;
const BATCHES_MAX = 100;

/** Discards drafts that were neither saved nor published for a long time. */
@Injectable()
export class DraftExpiry implements OnModuleInit {
  constructor(
    private readonly em: EntityManager,
    private readonly maintenance: Maintenance,
  ) {}

  onModuleInit(): void {
    this.maintenance.register({
      name: 'configuration-drafts',
      everyMs: EVERY_MS,
      run: (now) => this.expire(now),
    });
  }

  /** Oldest first; returns the number of drafts that expired. The row stays, so that a version is never used twice. */
  async expire(now: Date): Promise<number> {
    let total = 0;
    for (let batch = 0; batch < BATCHES_MAX; batch += 1) {
      const expired = await this.em.fork().transactional((tx) => expireBatch(tx, now));
      total += expired;
      if (expired < BATCH_ROWS) break;
    }
    return total;
  }
}

async function expireBatch(tx: EntityManager, now: Date): Promise<number> {
  const { rows } = await sql<{ projectId: string; version: number }>`
    update configuration_draft set configuration = null, version = version + 1, updated_at = ${now}
    where project_id = any(array(
      select project_id from configuration_draft
      where configuration is not null
        and updated_at < ${now}::timestamptz - make_interval(days => ${DRAFT_DAYS_KEPT})
      order by updated_at limit ${BATCH_ROWS} for update skip locked))
    returning project_id as "projectId", version::float8 as version
  `.execute(tx.getKysely());
  for (const { projectId, version } of rows) {
    await writeAudit(
      tx,
      { kind: 'system' },
      {
        ...{ projectId, action: 'configuration.discard_draft' },
        ...{ before: { version: version - 1 }, after: { version } },
      },
    );
  }
  return rows.length;
}
