import { Injectable } from '@nestjs/common';
import { EntityManager } from '@mikro-orm/postgresql';
import { type Actor, emailNotConfirmed } from './domain/actor.js';
import { ApiKey } from './infrastructure/api-key.entity.js';
import { accessTables } from './infrastructure/access.tables.js';
import type { Role } from './domain/role.js';
import { ProjectMember } from './infrastructure/project-member.entity.js';

/** Roles and names, for other modules. */
@Injectable()
export class AccessService {
  constructor(private readonly em: EntityManager) {}

  /**
   * At most `limit` projects that the actor may see, newest first, from behind the project id `after`, if given, and
   * the role there. Of an API key that is its one project.
   * @throws DomainError `email_not_confirmed`.
   */
  async placesOf(
    actor: Actor,
    { after, limit }: { after: string | null; limit: number },
  ): Promise<{ projectId: string; role: Role }[]> {
    if (actor.kind === 'api_key')
      return after === null ? [{ projectId: actor.projectId, role: actor.role }] : [];
    if (!actor.emailConfirmed) throw emailNotConfirmed();
    const behind = after === null ? {} : { projectId: { $lt: after } };
    const memberships = await this.em
      .fork()
      .find(ProjectMember, { userId: actor.userId, ...behind }, { orderBy: { projectId: 'desc' }, limit });
    return memberships.map(({ projectId, role }) => ({ projectId, role }));
  }

  /** The confirmed addresses of a project's owners, in the transaction of `em` where there is one. */
  async ownersOf(em: EntityManager, projectId: string): Promise<string[]> {
    const owners = await accessTables(em)
      .selectFrom('project_member')
      .innerJoin('app_user', 'app_user.id', 'project_member.userId')
      .select('app_user.email')
      .where('project_member.projectId', '=', projectId)
      .where('project_member.role', '=', 'owner')
      .where('app_user.emailVerified', '=', true)
      .orderBy('app_user.id')
      .execute();
    return owners.map(({ email }) => email);
  }

  /** The members of a project with their addresses, in the transaction of `em` where there is one. */
  async membersOf(
    em: EntityManager,
    projectId: string,
  ): Promise<{ userId: string; role: Role; email: string; emailConfirmed: boolean }[]> {
    return accessTables(em)
      .selectFrom('project_member')
      .innerJoin('app_user', 'app_user.id', 'project_member.userId')
      .select([
        'project_member.userId',
        'project_member.role',
        'app_user.email',
        'app_user.emailVerified as emailConfirmed',
      ])
      .where('project_member.projectId', '=', projectId)
      .orderBy('app_user.id')
      .execute();
  }

  /**
   * The account whose quota a project shares with the other projects of the same person: its
   * longest-standing owner. Requests of API keys and of other members count against the same
   * account.
   */
  async accountOf(projectId: string): Promise<string> {
    const owner = await accessTables(this.em.fork())
      .selectFrom('project_member')
      .select('userId')
      .where('projectId', '=', projectId)
      .where('role', '=', 'owner')
      .orderBy('createdAt')
      .orderBy('userId')
      .limit(1)
      .executeTakeFirst();
    return owner?.userId ?? projectId;
  }

  /** Current names of users (their email) and keys, by id. Deleted ones are missing. */
  async namesOf(ids: { userIds: string[]; apiKeyIds: string[] }): Promise<Map<string, string>> {
    const em = this.em.fork();
    const users =
      ids.userIds.length === 0
        ? []
        : await accessTables(em)
            .selectFrom('app_user')
            .select(['id', 'email as name'])
            .where('id', 'in', ids.userIds)
            .execute();
    const apiKeys =
      ids.apiKeyIds.length === 0
        ? []
        : await em.find(ApiKey, { id: { $in: ids.apiKeyIds } }, { fields: ['id', 'name'] });
    return new Map([...users, ...apiKeys].map(({ id, name }) => [id, name]));
  }
}
