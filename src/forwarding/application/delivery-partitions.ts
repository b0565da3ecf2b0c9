import { Injectable, type OnModuleInit } from '@nestjs/common';
import { EntityManager } from '@mikro-orm/postgresql';
import { uuidLowerBound } from '../../shared/ids.js';
import { dropPartitionsBefore, ensurePartition } from '../../database/partitions.js';
import { Maintenance } from '../../shared/maintenance.js';

const KEEP_EVERY_MS = 60 * 60_000;
const DAY_MS = 24 * 60 * 60 * 1000;
/** Yesterday too: an attempt is filed under its beginning, and clocks differ. */
const DAYS_BEHIND = 1;
/** Days made ahead: so long may the schedule stand still before the log has nowhere to go. */
const DAYS_AHEAD = 3;
/** Days that deliveries are kept (design §4); failed ones longer, since they may still be sent by hand. */
export const DELIVERY_DAYS_KEPT = 30;
export const FAILED_DELIVERY_DAYS_KEPT = 90;

const FAMILIES = [
  { parent: 'delivery_settled', daysKept: DELIVERY_DAYS_KEPT },
  { parent: 'delivery_failed', daysKept: FAILED_DELIVERY_DAYS_KEPT },
] as const;

/** Keeps the partitions of the delivery log, every hour; any number of processes may. */
@Injectable()
export class DeliveryPartitions implements OnModuleInit {
  constructor(
    private readonly em: EntityManager,
    private readonly maintenance: Maintenance,
  ) {}

  async onModuleInit(): Promise<void> {
    this.maintenance.register({
      name: 'delivery-partitions',
      everyMs: KEEP_EVERY_MS,
      run: async (now) => {
        await this.ensure(now);
        await this.dropExpired(now);
      },
    });
    await this.ensure(new Date());
  }

  /** Makes the partitions from yesterday to three days ahead, where they are missing. Returns the names made. */
  async ensure(now: Date): Promise<string[]> {
    const made: string[] = [];
    const today = startOfDay(now);
    for (const { parent } of FAMILIES) {
      for (let day = -DAYS_BEHIND; day <= DAYS_AHEAD; day++) {
        const from = new Date(today + day * DAY_MS);
        if (await ensurePartition(this.em, parent, from))
          made.push(`${parent}_${from.toISOString().slice(0, 10).replaceAll('-', '')}`);
      }
    }
    return made;
  }

  /** Drops the days whose every row is older than its outcome is kept. Returns the names dropped. */
  async dropExpired(now: Date): Promise<string[]> {
    const dropped: string[] = [];
    for (const { parent, daysKept } of FAMILIES) {
      const bound = uuidLowerBound(new Date(now.getTime() - daysKept * DAY_MS));
      dropped.push(...(await dropPartitionsBefore(this.em, parent, bound)));
    }
    return dropped;
  }
}

function startOfDay(now: Date): number {
  return Math.floor(now.getTime() / DAY_MS) * DAY_MS;
}
