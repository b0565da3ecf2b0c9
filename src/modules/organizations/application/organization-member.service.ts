import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { DomainError } from '../../../platform/errors/domain-error.js';
import { toAuthor, type UserActor } from '../../access/domain/actor.js';
import type { Role } from '../../access/domain/role.js';
import { PeopleService } from '../../access/people.service.js';
import { writeAudit } from '../../audit/audit.log.js';
import type { Author } from '../../audit/domain/author.js';
import { lockProjectsOf } from '../../projects/project.rows.js';
import { ProjectEvents } from '../../projects/projects.events.js';
import type { OrganizationRole, OrganizationRoles } from '../domain/organization.js';
import {
  findMember,
  listInvitationsBy,
  listMembers,
  type OrganizationMemberRow,
  writeMember,
} from '../infrastructure/organization.rows.js';
import {
  endOrganizationMembership,
  isLastAdmin,
  lastAdmin,
  lockOrganization,
  organizationMemberNotFound,
  type OrganizationMemberRef,
  withdrawOrganizationInvitations,
} from '../organization-memberships.js';
import { requireAdmin } from './require-admin.js';

/** A member as shown to admins. */
export interface OrganizationMember {
  userId: string;
  email: string;
  name: string;
  role: OrganizationRole;
  projectRole: Role | null;
  createdAt: Date;
  secondFactor: boolean;
}

/** The members of organizations. They join by invitation. */
@Injectable()
export class OrganizationMemberService {
  constructor(
    private readonly em: EntityManager,
    private readonly people: PeopleService,
    private readonly events: ProjectEvents,
  ) {}

  /** At most `limit` members, in the order in which they signed up, after the user id `after`, if given. */
  async list(
    organizationId: string,
    page: { after: string | null; limit: number },
  ): Promise<OrganizationMember[]> {
    return this.shown(await listMembers(this.em.fork(), organizationId, page));
  }

  /** @throws DomainError `member_not_found`. */
  async read(ref: OrganizationMemberRef): Promise<OrganizationMember> {
    const row = await findMember(this.em.fork(), ref);
    const [member] = row ? await this.shown([row]) : [];
    if (!member) throw organizationMemberNotFound();
    return member;
  }

  /**
   * Changes the roles of a member, except to admin, which requires their acceptance (ADR 51). Revokes
   * their keys and invitations in the organization's projects that exceed the new role.
   * @throws DomainError `member_not_found`, `acceptance_required`, `last_admin`, and as `requireAdmin`.
   */
  async changeRoles(
    ref: OrganizationMemberRef,
    roles: OrganizationRoles,
    user: UserActor,
  ): Promise<OrganizationMember> {
    const { organizationId, userId } = ref;
    await this.em.fork().transactional(async (tx) => {
      await lockOrganization(tx, organizationId);
      await requireAdmin(tx, user, organizationId);
      const member = await findMember(tx, ref);
      if (!member) throw organizationMemberNotFound();
      const { role, projectRole } = member;
      if (role === roles.role && projectRole === roles.projectRole) return;
      if (roles.role === 'admin') throw acceptanceRequired();
      if (await isLastAdmin(tx, { organizationId, role })) throw lastAdmin();
      const projectIds = await lockProjectsOf(tx, organizationId);
      await writeMember(tx, { organizationId, userId, ...roles });
      const author = toAuthor(user);
      await writeAudit(tx, author, {
        projectId: organizationId,
        action: 'organization_member.change_role',
        target: userId,
        before: { role, projectRole },
        after: { ...roles },
      });
      await withdrawOrganizationInvitations(tx, await listInvitationsBy(tx, ref), author);
      await this.people.revokeBeyondRoles(tx, { projectIds, userId }, author);
    });
    return this.read(ref);
  }

  /**
   * Removes a member. They lose the projects of the organization, and the keys and invitations that
   * they created there; memberships of single projects stay.
   * @throws DomainError `member_not_found`, `last_admin`, and as `requireAdmin`.
   */
  async remove(ref: OrganizationMemberRef, user: UserActor): Promise<void> {
    await this.em.fork().transactional(async (tx) => {
      await lockOrganization(tx, ref.organizationId);
      await requireAdmin(tx, user, ref.organizationId);
      await this.end(tx, ref, { author: toAuthor(user), action: 'organization_member.remove' });
    });
  }

  /** Ends the caller's own membership. @throws DomainError `last_admin`. */
  async leave(organizationId: string, user: UserActor): Promise<void> {
    await this.em.fork().transactional(async (tx) => {
      await lockOrganization(tx, organizationId);
      const ref = { organizationId, userId: user.userId };
      await this.end(tx, ref, { author: toAuthor(user), action: 'organization_member.leave' });
    });
  }

  private async end(
    tx: EntityManager,
    ref: OrganizationMemberRef,
    end: { author: Author; action: 'organization_member.remove' | 'organization_member.leave' },
  ): Promise<void> {
    const { userId } = ref;
    const projectIds = await endOrganizationMembership(tx, ref, end);
    await this.people.revokeBeyondRoles(tx, { projectIds, userId }, end.author);
    await this.events.emit('membersLeft', tx, { userId, projectIds });
  }

  private async shown(rows: OrganizationMemberRow[]): Promise<OrganizationMember[]> {
    const people = await this.people.read(rows.map(({ userId }) => userId));
    return rows.flatMap(({ userId, role, projectRole, createdAt }) => {
      const person = people.get(userId);
      if (!person) return [];
      const { email, name, secondFactor } = person;
      return [{ userId, email, name, role, projectRole, createdAt, secondFactor }];
    });
  }
}

function acceptanceRequired(): DomainError {
  return new DomainError(
    'acceptance_required',
    'Members become admins by accepting an invitation. Invite their address with the role admin.',
  );
}
