import { Injectable, type OnModuleInit } from '@nestjs/common';
import { EntityManager } from '@mikro-orm/postgresql';
import { type RawBuilder, sql } from 'kysely';
import { ProjectReads } from '../../platform/database/project-reads.js';
import { type Actor, emailNotConfirmed } from './domain/actor.js';
import { ApiKey } from './infrastructure/api-key.entity.js';
import { accessTables } from './infrastructure/access.tables.js';
import type { Role } from './domain/role.js';
import { firstAdminOf } from '../organizations/organization-roles.js';
import { listPeople, listPlaces, type ProjectPerson } from './infrastructure/membership.rows.js';

/** `AccessService.accountOf` as an expression, of a project's id. */
export function accountSql(projectId: RawBuilder<unknown>): RawBuilder<string> {
  return sql<string>`coalesce(${firstAdminOf(projectId)}, (
    select member.user_id from project_member member
    where member.project_id = ${projectId} and member.role = 'owner'
    order by member.created_at, member.user_id limit 1
  ), ${projectId})`;
}

/** Roles and names, for other modules. */
@Injectable()
export class AccessService implements OnModuleInit {
  constructor(
    private readonly em: EntityManager,
    private readonly reads: ProjectReads,
  ) {}

  onModuleInit(): void {
    this.reads.shareBy((projectId) => this.accountOf(projectId));
  }

  /**
   * At most `limit` projects of the actor with their roles, newest first, after the project id
   * `after`, if given. An API key has only its project. `withheld`: the project requires a second
   * factor, which the user has not set up, so only its name may be shown.
   * @throws DomainError `email_not_confirmed`.
   */
  async placesOf(
    actor: Actor,
    { after, limit }: { after: string | null; limit: number },
  ): Promise<{ projectId: string; role: Role; withheld: boolean }[]> {
    if (actor.kind === 'api_key')
      return after === null ? [{ projectId: actor.projectId, role: actor.role, withheld: false }] : [];
    if (!actor.emailConfirmed) throw emailNotConfirmed();
    const places = await listPlaces(this.em.fork(), actor.userId, { after, limit });
    return places.map(({ projectId, role, needsSecondFactor }) => ({
      projectId,
      role,
      withheld: needsSecondFactor && !actor.secondFactor,
    }));
  }

  /** Whether anybody has an account. */
  async hasAccounts(): Promise<boolean> {
    const any = accessTables(this.em.fork()).selectFrom('app_user').select('id').limit(1);
    return (await any.executeTakeFirst()) !== undefined;
  }

  /**
   * The confirmed addresses of a project's owners, in the transaction of `em`, if any. Without an
   * owner of its own, those of the owners by its organization.
   */
  async ownersOf(em: EntityManager, projectId: string): Promise<string[]> {
    const people = await listPeople(em, projectId);
    return people
      .filter(({ role, emailConfirmed, isContact }) => role === 'owner' && emailConfirmed && isContact)
      .map(({ email }) => email);
  }

  /** Everybody with a role on a project, in the transaction of `em`, if any. */
  membersOf(em: EntityManager, projectId: string): Promise<ProjectPerson[]> {
    return listPeople(em, projectId);
  }

  /**
   * The account whose quota a project shares with other projects: the longest-standing admin of its
   * organization, or else its longest-standing owner. Requests of API keys and of other members
   * count against the same account.
   */
  async accountOf(projectId: string): Promise<string> {
    const { rows } = await sql<{
      account: string;
    }>`select ${accountSql(sql`${projectId}::uuid`)} as account`.execute(this.em.fork().getKysely());
    return rows[0]?.account ?? projectId;
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
