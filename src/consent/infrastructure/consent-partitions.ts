import { Injectable, Logger } from '@nestjs/common';
import { EntityManager } from '@mikro-orm/postgresql';
import { uuidLowerBound } from '../../shared/ids.js';
import { dropPartitionsBefore, ensurePartition } from '../../database/partitions.js';
import { InjectSettings } from '../../settings/inject-settings.js';
import { type ConsentSettings, consentSettings } from '../consent.settings.js';
import { partitionMonths, retentionStart } from '../domain/retention.js';

/** Months of partitions that are ready ahead of time, so that a worker may be away for long. */
const MONTHS_AHEAD = 3;

/**
 * The monthly partitions of `consent_record`: created ahead of time, dropped after the retention
 * (design §4).
 */
@Injectable()
export class ConsentPartitions {
  private readonly logger = new Logger(ConsentPartitions.name);

  constructor(
    private readonly em: EntityManager,
    @InjectSettings(consentSettings) private readonly settings: ConsentSettings,
  ) {}

  /**
   * Creates missing partitions from last month (ids may be 7 days old) to `MONTHS_AHEAD` months
   * from now.
   */
  async ensure(now: Date): Promise<void> {
    for (const startsAt of partitionMonths(now, MONTHS_AHEAD))
      await ensurePartition(this.em, 'consent_record', startsAt);
  }

  /** Drops the months that lie wholly before the retention. Returns the names of the dropped tables. */
  async dropExpired(now: Date): Promise<string[]> {
    const before = retentionStart(now, this.settings.retentionMonths);
    const dropped = await dropPartitionsBefore(this.em, 'consent_record', uuidLowerBound(before));
    for (const name of dropped)
      this.logger.log(`dropped ${name}: its records are older than ${this.settings.retentionMonths} months`);
    return dropped;
  }
}
