import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { EntityManager } from '@mikro-orm/postgresql';
import type { Author } from '../../audit/domain/author.js';
import { SCHEDULED_SCAN_TIERS } from '../../licensing/domain/catalogue.js';
import { LicensingService } from '../../licensing/licensing.service.js';
import { findProject, lockProject } from '../../projects/project.rows.js';
import { Maintenance } from '../../../platform/operations/maintenance.js';
import { pagesPerScan } from '../domain/scan-limits.js';
import { nextScanAt } from '../domain/scan-schedule.js';
import { SCANNER_ALIVE_MS } from '../domain/scanner-times.js';
import { hasActiveScan, isScannerAlive, readLastSkippedStates } from '../infrastructure/scan.rows.js';
import { ScanSchedule } from '../infrastructure/scan.entities.js';
import { readDueProjects } from '../infrastructure/schedule.rows.js';
import { queueScan, refuseAccount } from './queue-scan.js';
import { ScanRequests } from './scan-requests.js';

const LOOK_EVERY_MS = 60_000;
/** Projects whose scans one run starts; the others are still due at the next run. */
const DUE_PROJECTS_MAX = 500;
const SYSTEM: Author = { kind: 'system' };

/**
 * Requests the scans that are due. Only `scan_schedule.next_at` decides: the queue merely triggers
 * this, so a scan whose time passed while no worker or scanner ran is requested by the next run,
 * once.
 */
@Injectable()
export class ScheduledScans implements OnModuleInit {
  private readonly logger = new Logger(ScheduledScans.name);

  constructor(
    private readonly em: EntityManager,
    private readonly maintenance: Maintenance,
    private readonly licensing: LicensingService,
    private readonly requests: ScanRequests,
  ) {}

  onModuleInit(): void {
    this.maintenance.register({ name: 'scan-schedule', everyMs: LOOK_EVERY_MS, run: () => this.start() });
  }

  /** Returns how many scans it requested. Several workers may run it at the same time. */
  async start(): Promise<number> {
    // Without a scanner nothing is due: a waiting scan would block scans on demand.
    if (!(await isScannerAlive(this.em.fork(), SCANNER_ALIVE_MS))) return 0;
    let started = 0;
    for (const projectId of await readDueProjects(this.em.fork(), DUE_PROJECTS_MAX)) {
      try {
        if (await this.em.fork().transactional((tx) => this.startOne(tx, projectId))) started += 1;
      } catch (error) {
        // One project must not hold back the others.
        this.logger.error({ err: error, projectId }, 'a scheduled scan could not be requested');
      }
    }
    return started;
  }

  private async startOne(tx: EntityManager, projectId: string): Promise<boolean> {
    if (!(await lockProject(tx, projectId))) return false;
    const project = await findProject(tx, projectId);
    const now = new Date();
    const schedule = await tx.findOne(ScanSchedule, { projectId, nextAt: { $lte: now } });
    // A scan in progress holds the scheduled one back until it has ended, and so do the limits of the account.
    if (!project || !schedule || (await hasActiveScan(tx, projectId))) return false;
    if ((await refuseAccount(tx, { projectId, now })) !== null) return false;
    schedule.nextAt = nextScanAt(schedule.nextAt, { frequency: schedule.frequency, now });
    const tier = await this.licensing.tierOf(project, now);
    const urls = await this.requests.defaultUrls(project);
    if (!SCHEDULED_SCAN_TIERS.includes(tier) || urls.length === 0) return false;
    await queueScan(tx, {
      project,
      urls,
      author: SYSTEM,
      origin: 'schedule',
      pagesMax: pagesPerScan(tier),
      // A member who left the acceptance out does not get it by the schedule.
      skippedStates: await readLastSkippedStates(tx, projectId),
      ignoreRobots: false,
    });
    return true;
  }
}
