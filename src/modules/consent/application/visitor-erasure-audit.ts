import { Injectable, type OnModuleInit } from '@nestjs/common';
import { EntityManager } from '@mikro-orm/postgresql';
import { type Change, writeAudit } from '../../audit/audit.log.js';
import type { Author } from '../../audit/domain/author.js';
import { Maintenance } from '../../../platform/operations/maintenance.js';
import { countVisitorErasure, reserveErasureHours } from '../infrastructure/visitor-erasure-hour.rows.js';
import { VISITOR_ERASURES_LISTED_PER_HOUR } from '../domain/erasure.js';

/** The author in the audit log: a holder of a visitor key. Nothing else is known about them. */
export const VISITOR: Author = { kind: 'visitor' };

const SUMMARY_EVERY_MS = 10 * 60_000;
/** Hours of projects that one transaction summarizes. */
const HOURS_AT_ONCE = 500;

/**
 * Audits an erasure made by a visitor, in its transaction. Anyone can store records and erase them
 * again, so a project gets a limited number of such events per hour; the others are counted, and
 * summarized in one event.
 */
export async function auditVisitorErasure(
  tx: EntityManager,
  change: Change & { projectId: string },
): Promise<void> {
  const erasures = await countVisitorErasure(tx, change.projectId);
  if (erasures <= VISITOR_ERASURES_LISTED_PER_HOUR) await writeAudit(tx, VISITOR, change);
}

/**
 * Writes one event for the uncounted erasures of each past hour, and deletes the hour's counter.
 */
@Injectable()
export class SummarizeVisitorErasures implements OnModuleInit {
  constructor(
    private readonly em: EntityManager,
    private readonly maintenance: Maintenance,
  ) {}

  onModuleInit(): void {
    this.maintenance.register({
      name: 'visitor-erasures',
      everyMs: SUMMARY_EVERY_MS,
      run: () => this.summarize(),
    });
  }

  /** Returns the number of deleted counters. */
  async summarize(): Promise<number> {
    let total = 0;
    for (;;) {
      const forgotten = await this.em.fork().transactional((tx) => this.summarizeBatch(tx));
      total += forgotten;
      if (forgotten < HOURS_AT_ONCE) return total;
    }
  }

  private async summarizeBatch(tx: EntityManager): Promise<number> {
    const hours = await reserveErasureHours(tx, HOURS_AT_ONCE);
    for (const { projectId, at, until, erasures } of hours) {
      const unlisted = erasures - VISITOR_ERASURES_LISTED_PER_HOUR;
      if (unlisted <= 0) continue;
      const after = { erasures: unlisted, from: at.toISOString(), to: until.toISOString() };
      await writeAudit(tx, VISITOR, { projectId, action: 'visitor.erase', after });
    }
    return hours.length;
  }
}
