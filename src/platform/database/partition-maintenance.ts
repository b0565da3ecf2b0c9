import { Injectable, Logger } from '@nestjs/common';
import { EntityManager } from '@mikro-orm/postgresql';
import { Maintenance } from '../operations/maintenance.js';
import { periodStart } from './partition-period.js';
import { dropPartitionsBefore, ensurePartitions, type PartitionedTable } from './partitions.js';

const EVERY_MS = 60 * 60_000;
/** One, because clocks differ and a row's id may be older than its insert. */
const PERIODS_BEHIND = 1;
/** Inserts keep working for this many days or months without a worker that creates partitions. */
const PERIODS_AHEAD = 3;

/** Creates partitions ahead of time and drops those past their retention, for the tables that modules register. */
@Injectable()
export class PartitionMaintenance {
  private readonly logger = new Logger(PartitionMaintenance.name);

  constructor(
    private readonly em: EntityManager,
    private readonly maintenance: Maintenance,
  ) {}

  /**
   * Creates the table's missing partitions, now and every hour, and drops those with only rows from
   * before `keptSince`. Call this while modules start (`onModuleInit`).
   */
  async register(table: PartitionedTable, keptSince: (now: Date) => Date): Promise<void> {
    this.maintenance.register({
      name: `partitions-${table.name}`,
      everyMs: EVERY_MS,
      run: async (now) => {
        await this.createMissing(table, now);
        await this.dropExpired(table, keptSince(now));
      },
    });
    await this.createMissing(table, new Date());
  }

  /** Creates the missing partitions around `now`. Returns the starts of the created ones. */
  createMissing(table: PartitionedTable, now: Date): Promise<Date[]> {
    return ensurePartitions(this.em, table, {
      from: periodStart(table.period, now, -PERIODS_BEHIND),
      to: periodStart(table.period, now, PERIODS_AHEAD),
    });
  }

  private async dropExpired(table: PartitionedTable, keptSince: Date): Promise<void> {
    const dropped = await dropPartitionsBefore(this.em, table, keptSince);
    if (dropped.length > 0) this.logger.log({ partitions: dropped, keptSince }, 'dropped expired partitions');
  }
}
