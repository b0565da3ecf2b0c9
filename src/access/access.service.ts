import { Injectable } from '@nestjs/common';
import { EntityManager } from '@mikro-orm/postgresql';
import type { Actor } from './domain/actor.js';
import { ProjectMember } from './infrastructure/project-member.entity.js';

/** The door of access for those who ask what somebody may see. */
@Injectable()
export class AccessService {
  constructor(private readonly em: EntityManager) {}

  /**
   * Ids of at most `limit` projects that the actor may see, newest first, from behind the project id `after`, if
   * given. Of an API key that is its one project.
   */
  async projectIdsOf(
    actor: Actor,
    { after, limit }: { after: string | null; limit: number },
  ): Promise<string[]> {
    if (actor.kind === 'api_key') return after === null ? [actor.projectId] : [];
    const behind = after === null ? {} : { projectId: { $lt: after } };
    const places = await this.em
      .fork()
      .find(ProjectMember, { userId: actor.userId, ...behind }, { orderBy: { projectId: 'desc' }, limit });
    return places.map((place) => place.projectId);
  }
}
