import { Injectable, type OnModuleInit } from '@nestjs/common';
import { EntityManager } from '@mikro-orm/postgresql';
import { ProjectHooks } from '../../projects/project.hooks.js';
import { lastSeenOf } from '../infrastructure/site-queries.js';

/** When the loader was last seen on the sites of a list of projects. */
@Injectable()
export class LoaderSightings implements OnModuleInit {
  constructor(
    private readonly em: EntityManager,
    private readonly projects: ProjectHooks,
  ) {}

  onModuleInit(): void {
    this.projects.set({ readLastSeen: (ids, now) => this.read(ids, now) });
  }

  private async read(projectIds: readonly string[], now: Date): Promise<Map<string, Date>> {
    const { rows } = await lastSeenOf(projectIds, now).execute(this.em.fork().getKysely());
    return new Map(rows.map(({ projectId, at }) => [projectId, at]));
  }
}
