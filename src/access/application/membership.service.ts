import { Injectable, type OnModuleInit } from '@nestjs/common';
import { EntityManager } from '@mikro-orm/postgresql';
import { writeAudit } from '../../audit/audit.log.js';
import { MailService } from '../../mail/mail.service.js';
import type { Project } from '../../projects/domain/project.js';
import { findProject } from '../../projects/project.rows.js';
import { ProjectService } from '../../projects/project.service.js';
import { type ProjectCreated, ProjectEvents } from '../../projects/projects.events.js';
import { DomainError } from '../../shared/domain-error.js';
import { type Actor, authorOf, emailNotConfirmed } from '../domain/actor.js';
import type { ApiKey } from '../infrastructure/api-key.entity.js';
import { ApiKeyService } from '../api-key.service.js';
import { accessTables } from '../infrastructure/access.tables.js';
import { ProjectInvitation } from '../infrastructure/project-invitation.entity.js';
import { ProjectMember } from '../infrastructure/project-member.entity.js';
import type { Role } from '../domain/role.js';
import { keepAnOwner, Places } from './places.js';
import { requireManager } from './require-manager.js';

export const PROJECTS_OWNED_MAX = 100;
export const MEMBERS_PER_PROJECT_MAX = 1000;

/** A user's place in a project, with what others see of the user. */
export interface Member {
  userId: string;
  email: string;
  name: string;
  role: Role;
  createdAt: Date;
  /** Whether her account has a second factor. */
  secondFactor: boolean;
}

export interface MemberRef {
  projectId: string;
  userId: string;
}

export interface PageRequest {
  /** Key of the last row of the page before; null for the first page. */
  after: string | null;
  limit: number;
}

/**
 * Who belongs to which project. A project that had an owner always keeps one. Whoever changes members is asked
 * again for the right to it in the transaction (`requireManager`), so that nobody acts after her removal.
 */
@Injectable()
export class MembershipService implements OnModuleInit {
  constructor(
    private readonly em: EntityManager,
    private readonly projects: ProjectService,
    private readonly events: ProjectEvents,
    private readonly apiKeys: ApiKeyService,
    private readonly places: Places,
    private readonly mails: MailService,
  ) {}

  /** Whoever makes a project is its owner. */
  onModuleInit(): void {
    this.events.listen({ created: (tx, created) => this.addFirstOwner(tx, created) });
  }

  /** At most `limit` members, in the order in which they signed up, from behind the user id `after`, if given. */
  async members(projectId: string, { after, limit }: PageRequest): Promise<Member[]> {
    const page = membersOf(this.em.fork(), projectId).orderBy('m.userId').limit(limit);
    return (after === null ? page : page.where('m.userId', '>', after)).execute();
  }

  /**
   * Gives somebody who has signed up a place in the project.
   * @throws DomainError `user_not_found`, `member_exists`, `member_limit_reached`, and as `requireManager`.
   */
  async add(projectId: string, wanted: { email: string; role: Role }, actor: Actor): Promise<Member> {
    return this.em.fork().transactional(async (tx) => {
      await this.projects.lock(tx, projectId);
      await requireManager(tx, actor, projectId);
      const user = await accessTables(tx)
        .selectFrom('app_user')
        .select(['id as userId', 'email', 'name', 'twoFactorEnabled as secondFactor'])
        .where('email', '=', wanted.email.toLowerCase())
        // Who has not proven the address may be anybody.
        .where('emailVerified', '=', true)
        .executeTakeFirst();
      if (!user) {
        throw new DomainError(
          'user_not_found',
          'Nobody has an account with this e-mail, or has confirmed it. Invite the address instead.',
        );
      }
      if (await tx.findOne(ProjectMember, { projectId, userId: user.userId })) {
        throw new DomainError('member_exists', 'This user is a member already. Change the role instead.');
      }
      if ((await tx.count(ProjectMember, { projectId })) >= MEMBERS_PER_PROJECT_MAX) {
        throw memberLimitReached();
      }
      const place = { role: wanted.role, createdAt: new Date() };
      tx.create(ProjectMember, { projectId, userId: user.userId, ...place });
      await writeAudit(tx, authorOf(actor), {
        ...{ projectId, action: 'member.add', target: user.userId },
        after: { role: wanted.role },
      });
      await this.mails.send(
        {
          to: user.email,
          template: 'member_added',
          values: { project: (await findProject(tx, projectId))?.name ?? '', role: wanted.role },
        },
        tx,
      );
      // Taken up by being added.
      await tx.nativeDelete(ProjectInvitation, { projectId, email: user.email });
      return { ...user, ...place };
    });
  }

  /**
   * Keys and invitations that the member made and that give more than the new role are taken back.
   * @throws DomainError `member_not_found`, `last_owner`, and as `requireManager`.
   */
  async changeRole(ref: MemberRef, role: Role, actor: Actor): Promise<Member> {
    await this.em.fork().transactional(async (tx) => {
      const member = await this.memberLocked(tx, ref, actor);
      if (role !== 'owner') await keepAnOwner(tx, member);
      const author = authorOf(actor);
      await this.places.takeBack(tx, ref, { role, author });
      if (member.role === role) return;
      const { projectId, userId: target } = ref;
      await writeAudit(tx, author, {
        ...{ projectId, action: 'member.change_role', target },
        ...{ before: { role: member.role }, after: { role } },
      });
      member.role = role;
    });
    return this.member(ref);
  }

  private async member({ projectId, userId }: MemberRef): Promise<Member> {
    const member = await membersOf(this.em.fork(), projectId)
      .where('m.userId', '=', userId)
      .executeTakeFirst();
    // Removed by somebody else since the commit.
    return member ?? memberNotFound();
  }

  /**
   * Takes a member out, and with her every key and invitation that she made on the project.
   * @throws DomainError `member_not_found`, `last_owner`, and as `requireManager`.
   */
  async remove(ref: MemberRef, actor: Actor): Promise<void> {
    await this.em.fork().transactional(async (tx) => {
      const member = await this.memberLocked(tx, ref, actor);
      await this.places.end(tx, member, { author: authorOf(actor), action: 'member.remove' });
    });
  }

  /** Gives up the caller's own place. @throws DomainError `last_owner`. */
  async leave(projectId: string, actor: Actor & { kind: 'user' }): Promise<void> {
    await this.em.fork().transactional(async (tx) => {
      await this.projects.lock(tx, projectId);
      const ref = { projectId, userId: actor.userId };
      const member = (await tx.findOne(ProjectMember, ref)) ?? memberNotFound();
      await this.places.end(tx, member, { author: authorOf(actor), action: 'member.leave' });
    });
  }

  /**
   * Makes a member owner and the caller editor, in one transaction; tells both by mail. Keys and invitations
   * that the caller made and that give more than an editor may are taken back.
   * @throws DomainError `member_not_found`, and as `requireManager`.
   */
  async transferOwnership(
    { id: projectId, name: project }: Project,
    userId: string,
    actor: Actor & { kind: 'user' },
  ): Promise<Member> {
    await this.em.fork().transactional(async (tx) => {
      const ref = { projectId, userId: actor.userId };
      const receiver = await this.memberLocked(tx, { projectId, userId }, actor);
      const giver = await tx.findOneOrFail(ProjectMember, ref);
      if (userId === actor.userId) return;
      const author = authorOf(actor);
      await writeAudit(tx, author, {
        ...{ projectId, action: 'ownership.transfer', target: userId },
        before: { role: receiver.role },
        after: { role: 'owner' },
      });
      await this.places.takeBack(tx, ref, { role: 'editor', author });
      receiver.role = 'owner';
      giver.role = 'editor';
      const { email } = await emailOf(tx, userId);
      const values = { project };
      await this.mails.send({ to: email, template: 'ownership_received', values, projectId }, tx);
      await this.mails.send({ to: actor.email, template: 'ownership_given', values, projectId }, tx);
    });
    return this.member({ projectId, userId });
  }

  /** The keys that would go with a member. @throws DomainError `member_not_found`. */
  async keysOf(ref: MemberRef): Promise<ApiKey[]> {
    const em = this.em.fork();
    if (!(await em.findOne(ProjectMember, ref))) memberNotFound();
    return this.apiKeys.madeBy(em, ref);
  }

  /**
   * Writes the user down as owner of a project that has just been made.
   * @throws DomainError `email_not_confirmed`, `project_limit_reached`, which undo the making.
   */
  private async addFirstOwner(tx: EntityManager, { projectId, userId }: ProjectCreated): Promise<void> {
    // The lock on the user's row makes requests at the same time count one after the other.
    const user = await accessTables(tx)
      .selectFrom('app_user')
      .select('emailVerified')
      .where('id', '=', userId)
      .forNoKeyUpdate()
      .executeTakeFirst();
    if (!user?.emailVerified) throw emailNotConfirmed();
    const owned = await tx.count(ProjectMember, { userId, role: 'owner' });
    if (owned >= PROJECTS_OWNED_MAX) {
      throw new DomainError(
        'project_limit_reached',
        `You own ${owned} projects already; at most ${PROJECTS_OWNED_MAX} are possible. Delete one first.`,
      );
    }
    tx.create(ProjectMember, { projectId, userId, role: 'owner', createdAt: new Date() });
  }

  /** Reads a member while holding the project's row, so that two owners cannot go at the same time. */
  private async memberLocked(tx: EntityManager, ref: MemberRef, actor: Actor): Promise<ProjectMember> {
    await this.projects.lock(tx, ref.projectId);
    await requireManager(tx, actor, ref.projectId);
    return (await tx.findOne(ProjectMember, ref)) ?? memberNotFound();
  }
}

/** The members of a project, with what others see of the user. */
function membersOf(em: EntityManager, projectId: string) {
  return accessTables(em)
    .selectFrom('project_member as m')
    .innerJoin('app_user as u', 'u.id', 'm.userId')
    .select([
      'u.id as userId',
      'u.email',
      'u.name',
      'm.role',
      'm.createdAt',
      'u.twoFactorEnabled as secondFactor',
    ])
    .where('m.projectId', '=', projectId);
}

async function emailOf(tx: EntityManager, userId: string): Promise<{ email: string }> {
  return accessTables(tx)
    .selectFrom('app_user')
    .select('email')
    .where('id', '=', userId)
    .executeTakeFirstOrThrow();
}

export function memberLimitReached(): DomainError {
  return new DomainError(
    'member_limit_reached',
    `A project has at most ${MEMBERS_PER_PROJECT_MAX} members. Remove one first.`,
  );
}

function memberNotFound(): never {
  throw new DomainError('member_not_found', 'This project has no such member.');
}
