import { Injectable, type OnModuleInit } from '@nestjs/common';
import { EntityManager } from '@mikro-orm/postgresql';
import { allowMaintenanceTime } from '../../../platform/database/tables.js';
import { deleteEntries } from '../../evidence/log-entries.js';
import { InjectSettings } from '../../../platform/settings/inject-settings.js';
import { Maintenance } from '../../../platform/operations/maintenance.js';
import { deleteArtifactsBefore } from '../infrastructure/evidence.rows.js';
import { deleteWorkBefore } from '../infrastructure/account.rows.js';
import { deleteHostsBefore } from '../infrastructure/host.rows.js';
import { deleteScansBefore } from '../infrastructure/scan.rows.js';
import { type ScanSettings, scanSettings } from '../scans.settings.js';

const EVERY_MS = 60 * 60_000;
const DAY_MS = 86_400_000;
const RESULT_MONTHS = 12;
/** Scans that one transaction deletes, each with thousands of rows. */
const SCANS_AT_ONCE = 20;
const COUNTS_AT_ONCE = 500;
/** Longer than the 24 hours in which scans of a host, and scanner time of an account, are counted. */
const COUNTED_DAYS = 2;
const ARTIFACTS_AT_ONCE = 500;

/** Deletes screenshots and HARs after `SCAN_RETENTION_DAYS`, and results after 12 months. */
@Injectable()
export class ScanRetention implements OnModuleInit {
  constructor(
    private readonly em: EntityManager,
    private readonly maintenance: Maintenance,
    @InjectSettings(scanSettings) private readonly settings: ScanSettings,
  ) {}

  onModuleInit(): void {
    this.maintenance.register({ name: 'scan-retention', everyMs: EVERY_MS, run: (now) => this.forget(now) });
  }

  /** Returns how many screenshots and HARs, and how many scans were deleted. */
  async forget(now: Date): Promise<{ artifacts: number; scans: number }> {
    const artifactsBefore = new Date(now.getTime() - this.settings.retentionDays * DAY_MS);
    const resultsBefore = new Date(now);
    resultsBefore.setUTCMonth(resultsBefore.getUTCMonth() - RESULT_MONTHS);
    const artifacts = await this.inBatches(ARTIFACTS_AT_ONCE, (tx, limit) =>
      deleteArtifactsBefore(tx, { before: artifactsBefore, limit }),
    );
    const scans = await this.inBatches(SCANS_AT_ONCE, async (tx, limit) => {
      const deleted = await deleteScansBefore(tx, { before: resultsBefore, limit });
      for (const [projectId, own] of Map.groupBy(deleted, (scan) => scan.projectId))
        await deleteEntries(tx, { projectId, ids: own.map(({ id }) => id) });
      return deleted.length;
    });
    const countedBefore = new Date(now.getTime() - COUNTED_DAYS * DAY_MS);
    for (const forgetCounts of [deleteHostsBefore, deleteWorkBefore])
      await this.inBatches(COUNTS_AT_ONCE, (tx, limit) => forgetCounts(tx, { before: countedBefore, limit }));
    return { artifacts, scans };
  }

  private async inBatches(
    limit: number,
    run: (tx: EntityManager, limit: number) => Promise<number>,
  ): Promise<number> {
    let sum = 0;
    for (;;) {
      const count = await this.em.fork().transactional(async (tx) => {
        await allowMaintenanceTime(tx);
        return run(tx, limit);
      });
      sum += count;
      if (count < limit) return sum;
    }
  }
}
