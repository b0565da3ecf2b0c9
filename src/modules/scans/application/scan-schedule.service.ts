import { Injectable } from '@nestjs/common';
import { EntityManager } from '@mikro-orm/postgresql';
import { writeAudit } from '../../audit/audit.log.js';
import type { Author } from '../../audit/domain/author.js';
import { SCHEDULED_SCAN_TIERS } from '../../licensing/domain/catalogue.js';
import { LicensingService } from '../../licensing/licensing.service.js';
import type { Project } from '../../projects/domain/project.js';
import { ProjectService } from '../../projects/project.service.js';
import { firstScanAt, type ScanFrequency, type ScheduleInactivity } from '../domain/scan-schedule.js';
import { ScanSchedule } from '../infrastructure/scan.entities.js';
import { ScanRequests } from './scan-requests.js';

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

  /** A change of the frequency starts a new series within 24 hours. */
  async save(
    { project, author }: { project: Project; author: Author },
    frequency: ScanFrequency | 'off',
  ): Promise<ScheduleView> {
    await this.em.fork().transactional(async (tx) => {
      await this.projects.lock(tx, project.id);
      const schedule = await tx.findOne(ScanSchedule, { projectId: project.id });
      const before = { frequency: schedule?.frequency ?? 'off' };
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
