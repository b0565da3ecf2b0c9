import { Injectable } from '@nestjs/common';
import { EntityManager } from '@mikro-orm/postgresql';
import { type RawBuilder, sql } from 'kysely';
import { type Actor, emailNotConfirmed } from './domain/actor.js';
import { ApiKey } from './infrastructure/api-key.entity.js';
import { accessTables } from './infrastructure/access.tables.js';
import type { Role } from './domain/role.js';

/** `AccessService.accountOf` as an expression, of a project's id. */
export function accountSql(projectId: RawBuilder<unknown>): RawBuilder<string> {
  return sql<string>`coalesce((
    select member.user_id from project_member member
    where member.project_id = ${projectId} and member.role = 'owner'
    order by member.created_at, member.user_id limit 1
  ), ${projectId})`;
}

/** Roles and names, for other modules. */
@Injectable()
export class AccessService {
  constructor(private readonly em: EntityManager) {}

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
    const memberships = await accessTables(this.em.fork())
      .selectFrom('project_member as m')
      .leftJoin('project_sign_in_policy as p', 'p.projectId', 'm.projectId')
      .select(['m.projectId', 'm.role', 'p.secondFactorRequired'])
      .where('m.userId', '=', actor.userId)
      .$if(after !== null, (query) => query.where('m.projectId', '<', after))
      .orderBy('m.projectId', 'desc')
      .limit(limit)
      .execute();
    return memberships.map(({ projectId, role, secondFactorRequired }) => ({
      projectId,
      role,
      withheld: secondFactorRequired === true && !actor.secondFactor,
    }));
  }

  /** Whether anybody has an account. */
  async hasAccounts(): Promise<boolean> {
    const any = accessTables(this.em.fork()).selectFrom('app_user').select('id').limit(1);
    return (await any.executeTakeFirst()) !== undefined;
  }

  /** The confirmed addresses of a project's owners, in the transaction of `em`, if any. */
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

  /** The members of a project with their addresses, in the transaction of `em`, if any. */
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
