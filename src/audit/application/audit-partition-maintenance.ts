import { Injectable, type OnModuleInit } from '@nestjs/common';
import { EntityManager } from '@mikro-orm/postgresql';
import { uuidLowerBound } from '../../shared/ids.js';
import { monthStart } from '../../shared/months.js';
import { dropPartitionsBefore, ensurePartition } from '../../database/partitions.js';
import { Maintenance } from '../../shared/maintenance.js';
import { AUDIT_MONTHS_KEPT, SECURITY_LOG_MONTHS_KEPT } from '../domain/retention.js';

const EVERY_MS = 60 * 60_000;
/** Months that are ready ahead of time, so that a worker may be away for long: without one, nothing can be changed. */
const MONTHS_AHEAD = 3;

const LOGS = [
  { parent: 'audit_event', monthsKept: AUDIT_MONTHS_KEPT },
  { parent: 'security_event', monthsKept: SECURITY_LOG_MONTHS_KEPT },
] as const;

/** Sees to it that the months of both logs are there, at the start and then hourly, and that expired ones go. */
@Injectable()
export class AuditPartitionMaintenance implements OnModuleInit {
  constructor(
    private readonly em: EntityManager,
    private readonly maintenance: Maintenance,
  ) {}

  async onModuleInit(): Promise<void> {
    this.maintenance.register({
      name: 'audit-partitions',
      everyMs: EVERY_MS,
      run: async (now) => {
        await this.ensure(now);
        await this.dropExpired(now);
      },
    });
    await this.ensure(new Date());
  }

  /** Makes what is missing from last month (clocks differ) to `MONTHS_AHEAD` months from now. */
  async ensure(now: Date): Promise<void> {
    for (const { parent } of LOGS) {
      for (let month = -1; month <= MONTHS_AHEAD; month++)
        await ensurePartition(this.em, parent, monthStart(now, month));
    }
  }

  /** Drops the months that lie wholly before what is kept. Returns the names of the dropped tables. */
  async dropExpired(now: Date): Promise<string[]> {
    const dropped: string[] = [];
    for (const { parent, monthsKept } of LOGS)
      dropped.push(
        ...(await dropPartitionsBefore(this.em, parent, uuidLowerBound(monthStart(now, -monthsKept)))),
      );
    return dropped;
  }
}
