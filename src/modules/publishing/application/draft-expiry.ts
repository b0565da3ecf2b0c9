import { Injectable, type OnModuleInit } from '@nestjs/common';
import { EntityManager } from '@mikro-orm/postgresql';
import { writeAudit } from '../../audit/audit.log.js';
import { Maintenance } from '../../../platform/operations/maintenance.js';
import { expireDrafts } from '../infrastructure/configuration.rows.js';

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
  const drafts = await expireDrafts(tx, now, BATCH_ROWS);
  for (const { projectId, version } of drafts) {
    await writeAudit(
      tx,
      { kind: 'system' },
      {
        projectId,
        action: 'configuration.discard_draft',
        before: { version: version - 1 },
        after: { version },
      },
    );
  }
  return drafts.length;
}
