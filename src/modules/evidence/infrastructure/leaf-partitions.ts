import { Injectable } from '@nestjs/common';
import { EntityManager } from '@mikro-orm/postgresql';
import { ensurePartitions, type PartitionedTable } from '../../../platform/database/partitions.js';
import { monthStart } from '../../../platform/time/instant.js';

/** Its months start and end with those of the records. */
export const EVIDENCE_LEAVES: PartitionedTable = { name: 'evidence_leaf', period: 'month' };

/** Creates partitions of `evidence_leaf` on demand, because a backfill may reach months before the last one. */
@Injectable()
export class LeafPartitions {
  /** Start of the last month whose partition exists; older ones are checked each time, because they get dropped. */
  private readonly existing = new Set<number>();

  constructor(private readonly em: EntityManager) {}

  /** Creates the missing partitions of these months, each in its own transaction. */
  async ensure(months: readonly Date[]): Promise<void> {
    const neverDropped = monthStart(new Date(), -1);
    for (const month of months) {
      if (this.existing.has(month.getTime())) continue;
      await ensurePartitions(this.em, EVIDENCE_LEAVES, { from: month, to: month });
      if (month >= neverDropped) this.existing.add(month.getTime());
    }
  }
}
