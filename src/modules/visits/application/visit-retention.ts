import { Injectable, type OnModuleInit } from '@nestjs/common';
import { EntityManager } from '@mikro-orm/postgresql';
import { allowMaintenanceTime } from '../../../platform/database/tables.js';
import { Maintenance } from '../../../platform/operations/maintenance.js';
import { deleteVisitsBefore } from '../infrastructure/visit-rows.js';

const EVERY_MS = 60 * 60_000;
/** Two years, to compare them, and a month. */
const VISIT_MONTHS_KEPT = 25;
/** Rows deleted per transaction. */
const BATCH_ROWS = 10_000;

/** Deletes counts of page visits that are too old for analytics. */
@Injectable()
export class VisitRetention implements OnModuleInit {
  constructor(
    private readonly em: EntityManager,
    private readonly maintenance: Maintenance,
  ) {}

  onModuleInit(): void {
    this.maintenance.register({ name: 'site-visits', everyMs: EVERY_MS, run: (now) => this.forget(now) });
  }

  /** Returns the number of deleted rows. */
  async forget(now: Date): Promise<number> {
    let gone = 0;
    for (;;) {
      const deleted = await this.em.fork().transactional(async (tx) => {
        await allowMaintenanceTime(tx);
        return deleteVisitsBefore(tx, { now, months: VISIT_MONTHS_KEPT, limit: BATCH_ROWS });
      });
      gone += deleted;
      if (deleted < BATCH_ROWS) return gone;
    }
  }
}
