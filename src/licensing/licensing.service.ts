import { Injectable } from '@nestjs/common';
import { EntityManager } from '@mikro-orm/postgresql';
import { Project } from '../projects/project.entity.js';
import type { Tier } from './tier.js';

/** The door of licensing: which tier a project has now. */
@Injectable()
export class LicensingService {
  constructor(private readonly em: EntityManager) {}

  /** The effective tier of a project row, without hostname (spec §3.2). */
  async tierOf(project: Project, _now: Date): Promise<Tier> {
    return project.tier as Tier;
  }

  /** The effective tiers of many projects at once, by project id; unknown projects are missing from the map. */
  async tiersOf(projectIds: string[], now: Date): Promise<Map<string, Tier>> {
    const projects = await this.em.fork().find(Project, { id: { $in: projectIds } });
    return new Map(await Promise.all(projects.map(async (p) => [p.id, await this.tierOf(p, now)] as const)));
  }
}
