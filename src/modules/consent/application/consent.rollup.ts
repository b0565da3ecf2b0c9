import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { ensurePartitions } from '../../../platform/database/partitions.js';
import { allowMaintenanceTime } from '../../../platform/database/tables.js';
import { Maintenance } from '../../../platform/operations/maintenance.js';
import { monthStart } from '../../../platform/time/instant.js';
import {
  addUp,
  clearRollups,
  lockRollupState,
  moveRollupState,
  nextSlice,
  planForMany,
} from '../infrastructure/rollup.rows.js';
import { CONSENT_RECORDS } from '../infrastructure/consent-writer.js';
import { insertRecords, type PastRecord } from '../infrastructure/past-record.rows.js';

/** Queries count the records that are not in the rollups yet, so the interval is short. */
const ADVANCE_EVERY_MS = 15_000;
/** Steps of one call; the next call continues. */
const STEPS_MAX = 1_000;
/** Earlier than any record. */
const LONG_AGO = new Date('2020-01-01T00:00:00Z');

/**
 * Maintains the counts by hour and day. Each call counts the records received since the last one,
 * in the transaction that moves the cursor, so a crash neither loses nor repeats a count. The
 * cursor's row lock allows one worker at a time. The receipt time of a record is the start of the
 * transaction that stores it. Once every transaction that started before an instant has ended, no
 * record from before that instant can appear. So the cursor never passes the oldest open
 * transaction.
 */
@Injectable()
export class ConsentRollup implements OnModuleInit {
  constructor(
    private readonly em: EntityManager,
    private readonly maintenance: Maintenance,
  ) {}

  onModuleInit(): void {
    this.maintenance.register({
      name: 'consent-rollup',
      everyMs: ADVANCE_EVERY_MS,
      run: () => this.advance(),
    });
  }

  /** Counts all complete records; returns the number of steps. */
  async advance(): Promise<number> {
    let steps = 1;
    while (steps < STEPS_MAX && (await this.step())) steps += 1;
    return steps;
  }

  /** One step; returns whether there is more to do. */
  private step(): Promise<boolean> {
    return this.em.fork().transactional(async (tx) => {
      await allowMaintenanceTime(tx);
      const slice = await nextSlice(tx);
      if (!slice) return false;
      await planForMany(tx);
      await addUp(tx, slice);
      await moveRollupState(tx, slice.to);
      return slice.more;
    });
  }
}

/** Recounts the records of one project up to the cursor, in the caller's transaction. */
async function recount(tx: EntityManager, projectId: string): Promise<void> {
  const to = await lockRollupState(tx);
  if (!to) return;
  const slice = { from: LONG_AGO, to, projectId };
  await planForMany(tx);
  await clearRollups(tx, projectId);
  await addUp(tx, slice);
}

/** Past months for which missing partitions are created. */
const MONTHS_BACK = 3;

/** Creates the partitions that `insertPastRecords` needs, outside its transaction. */
export async function preparePast(em: EntityManager, now: Date): Promise<void> {
  await ensurePartitions(em, CONSENT_RECORDS, { from: monthStart(now, -MONTHS_BACK), to: now });
}

/** Stores records of past days, without forwarding them, and recounts the project's records. */
export async function insertPastRecords(
  tx: EntityManager,
  projectId: string,
  records: PastRecord[],
): Promise<void> {
  await insertRecords(tx, projectId, records);
  await recount(tx, projectId);
}
