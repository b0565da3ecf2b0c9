import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Maintenance } from '../../shared/maintenance.js';
import { ConsentPartitions } from '../infrastructure/consent-partitions.js';

const EVERY_MS = 60 * 60_000;

/** Sees to it that the partitions of the records are there, at the start and then hourly, and that expired ones go. */
@Injectable()
export class PartitionMaintenance implements OnModuleInit {
  constructor(
    private readonly partitions: ConsentPartitions,
    private readonly maintenance: Maintenance,
  ) {}

  async onModuleInit(): Promise<void> {
    this.maintenance.register({
      name: 'consent-partitions',
      everyMs: EVERY_MS,
      run: async (now) => {
        await this.partitions.ensure(now);
        await this.partitions.dropExpired(now);
      },
    });
    await this.partitions.ensure(new Date());
  }
}
