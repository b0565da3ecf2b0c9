import { Injectable, type OnModuleInit } from '@nestjs/common';
import { EntityManager } from '@mikro-orm/postgresql';
import type { RecordsToday as Counts } from '../../projects/domain/project-status.js';
import { ProjectHooks } from '../../projects/project.hooks.js';
import { shareOf } from '../domain/consent-counts.js';
import { overviewPeriods } from '../domain/overview-periods.js';
import { countsSince } from '../infrastructure/overview-query.js';

/** Counts the records of today for the list of projects, of all of them in one statement. */
@Injectable()
export class RecordsToday implements OnModuleInit {
  constructor(
    private readonly em: EntityManager,
    private readonly projects: ProjectHooks,
  ) {}

  onModuleInit(): void {
    this.projects.set({ countRecordsToday: (ids, day) => this.count(ids, day) });
  }

  private async count(
    projectIds: readonly string[],
    { now, timeZone }: { now: Date; timeZone: string },
  ): Promise<Map<string, Counts>> {
    const { from } = overviewPeriods(now, timeZone).today.now;
    const { rows } = await countsSince(projectIds, from).execute(this.em.fork().getKysely());
    return new Map(
      rows.map(({ projectId, records, asked, granting }) => [
        projectId,
        { records, optInRate: shareOf(granting, asked) },
      ]),
    );
  }
}
