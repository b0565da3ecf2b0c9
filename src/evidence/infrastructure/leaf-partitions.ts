import { Injectable } from '@nestjs/common';
import { EntityManager } from '@mikro-orm/postgresql';
import { uuidLowerBound } from '../../shared/ids.js';
import { dropPartitionsBefore, ensurePartition } from '../../database/partitions.js';

/** The monthly partitions of `evidence_leaf`, which begin and end as those of the records. */
@Injectable()
export class LeafPartitions {
  /** Months that are known to be there. */
  private readonly made = new Set<number>();

  constructor(private readonly em: EntityManager) {}

  /** Creates the missing partitions of these months, each in its own transaction. */
  async ensure(months: readonly Date[]): Promise<void> {
    for (const startsAt of months) {
      if (this.made.has(startsAt.getTime())) continue;
      await ensurePartition(this.em, 'evidence_leaf', startsAt);
      this.made.add(startsAt.getTime());
    }
  }

  /** Drops the months whose records were all made before an instant. */
  async dropBefore(instant: Date): Promise<void> {
    this.made.clear();
    await dropPartitionsBefore(this.em, 'evidence_leaf', uuidLowerBound(instant));
  }
}
