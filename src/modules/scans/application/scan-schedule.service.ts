import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { Maintenance } from '../../../platform/operations/maintenance.js';
import { writeAudit } from '../../audit/audit.log.js';
import type { Author } from '../../audit/domain/author.js';
import { SCHEDULED_SCAN_TIERS } from '../../licensing/domain/catalogue.js';
import { LicensingService } from '../../licensing/licensing.service.js';
import type { Project } from '../../projects/domain/project.js';
import { findProject, lockProject } from '../../projects/project.rows.js';
import { ProjectService } from '../../projects/project.service.js';
import { pagesPerScan } from '../domain/scan-limits.js';
import {
  firstScanAt,
  nextScanAt,
  type ScanFrequency,
  type ScheduleInactivity,
} from '../domain/scan-schedule.js';
import { SCANNER_ALIVE_MS } from '../domain/scanner.js';
import { ScanSchedule } from '../infrastructure/scan.entities.js';
import {
  hasActiveScan,
  isScannerAlive,
  readDueProjects,
  readLastSkippedStates,
} from '../infrastructure/scan.rows.js';
import { queueScan, refuseAccount, ScanRequests } from './scan-requests.js';

/** A project's schedule as the API shows it. */
export interface ScheduleView {
  frequency: ScanFrequency | 'off';
  /** Why nothing starts; null: scans start as scheduled, or the schedule is off. */
  inactivity: ScheduleInactivity | null;
  /** When the next scan is due; null: none is. */
  nextAt: Date | null;
}

/** Reads and changes when a project is scanned without a request. */
@Injectable()
export class ScanScheduleService {
  constructor(
    private readonly em: EntityManager,
    private readonly projects: ProjectService,
    private readonly licensing: LicensingService,
    private readonly requests: ScanRequests,
  ) {}

  async read(project: Project): Promise<ScheduleView> {
    const schedule = await this.em.fork().findOne(ScanSchedule, { projectId: project.id });
    if (!schedule) return { frequency: 'off', inactivity: null, nextAt: null };
    const inactivity = await this.inactivity(project);
    return {
      frequency: schedule.frequency,
      inactivity,
      nextAt: inactivity === null ? schedule.nextAt : null,
    };
  }

  /** A change of the frequency starts a new series within 24 hours. `check` may refuse by the stored state. */
  async save(
    { project, author }: { project: Project; author: Author },
    frequency: ScanFrequency | 'off',
    check: (stored: Pick<ScheduleView, 'frequency'>) => void,
  ): Promise<ScheduleView> {
    await this.em.fork().transactional(async (tx) => {
      await this.projects.lock(tx, project.id);
      const schedule = await tx.findOne(ScanSchedule, { projectId: project.id });
      const before = { frequency: schedule?.frequency ?? 'off' } as const;
      check(before);
      if (before.frequency === frequency) return;
      if (frequency === 'off') {
        if (schedule) tx.remove(schedule);
      } else {
        const saved = { frequency, nextAt: firstScanAt(project.id, new Date()) };
        if (schedule) Object.assign(schedule, saved);
        else tx.create(ScanSchedule, { projectId: project.id, ...saved });
      }
      await writeAudit(tx, author, {
        projectId: project.id,
        action: 'scan.schedule',
        before,
        after: { frequency },
      });
    });
    return this.read(project);
  }

  private async inactivity(project: Project): Promise<ScheduleInactivity | null> {
    const tier = await this.licensing.tierOf(project, new Date());
    if (!SCHEDULED_SCAN_TIERS.includes(tier)) return 'tier';
    return (await this.requests.defaultUrls(project)).length === 0 ? 'no_address' : null;
  }
}

const LOOK_EVERY_MS = 60_000;
/** Projects whose scans one run starts; the others are still due at the next run. */
const DUE_PROJECTS_MAX = 500;
const SYSTEM: Author = { kind: 'system' };

/**
 * Requests the scans that are due. Only `scan_schedule.next_at` decides: the queue merely triggers this, so a
 * scan whose time passed while no worker or scanner ran is requested by the next run, once.
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
