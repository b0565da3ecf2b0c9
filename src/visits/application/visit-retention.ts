import { Injectable, type OnModuleInit } from '@nestjs/common';
import { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { allowMaintenanceTime } from '../../database/statement-time.js';
import { Maintenance } from '../../shared/maintenance.js';

const EVERY_MS = 60 * 60_000;
/** A year beside the year before it, by months. */
const VISIT_MONTHS_KEPT = 25;
/** Rows that one transaction deletes. */
const BATCH_ROWS = 10_000;

/** Forgets counts of page visits that are older than any question about them. */
@Injectable()
export class VisitRetention implements OnModuleInit {
  constructor(
    private readonly em: EntityManager,
    private readonly maintenance: Maintenance,
  ) {}

  onModuleInit(): void {
    this.maintenance.register({ name: 'site-visits', everyMs: EVERY_MS, run: (now) => this.forget(now) });
  }

  /** Returns how many rows went. */
  async forget(now: Date): Promise<number> {
    let gone = 0;
    for (;;) {
      const deleted = await this.em.fork().transactional(async (tx) => {
        await allowMaintenanceTime(tx);
        const { numAffectedRows } = await sql`
          delete from site_visit where ctid = any(array(
            select ctid from site_visit
            where at < ${now}::timestamptz - make_interval(months => ${VISIT_MONTHS_KEPT}) limit ${BATCH_ROWS}
          ))
        `.execute(tx.getKysely());
        return Number(numAffectedRows ?? 0);
      });
      gone += deleted;
      if (deleted < BATCH_ROWS) return gone;
    }
  }
}
