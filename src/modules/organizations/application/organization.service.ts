import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { DomainError } from '../../../platform/errors/domain-error.js';
import { newId } from '../../../platform/identity/ids.js';
import { emailNotConfirmed, toAuthor, type UserActor } from '../../access/domain/actor.js';
import { writeAudit } from '../../audit/audit.log.js';
import { countProjectsOf } from '../../projects/project.rows.js';
import type { Organization, OrganizationRoles } from '../domain/organization.js';
import {
  deleteOrganization,
  insertOrganization,
  listOrganizationsOf,
  renameOrganization,
  writeMember,
} from '../infrastructure/organization.rows.js';
import { lockOrganization, refuseTooManyAdministered } from '../organization-memberships.js';
import { requireAdmin } from './require-admin.js';

export type OwnOrganization = Organization & OrganizationRoles;

/** Creates, renames and deletes organizations. */
@Injectable()
export class OrganizationService {
  constructor(private readonly em: EntityManager) {}

  /** At most `limit` organizations of a person, newest first, after the id `after`, if given. */
  list(userId: string, page: { after: string | null; limit: number }): Promise<OwnOrganization[]> {
    return listOrganizationsOf(this.em.fork(), userId, page);
  }

  /**
   * Creates an organization with the caller as its admin.
   * @throws DomainError `email_not_confirmed`, `organization_limit_reached`.
   */
  async create(user: UserActor, name: string): Promise<OwnOrganization> {
    if (!user.emailConfirmed) throw emailNotConfirmed();
    const { userId } = user;
    const organization = { id: newId(), name, createdAt: new Date() };
    const roles: OrganizationRoles = { role: 'admin', projectRole: null };
    return this.em.fork().transactional(async (tx) => {
      await insertOrganization(tx, organization);
      await refuseTooManyAdministered(tx, userId);
      await writeMember(tx, { organizationId: organization.id, userId, ...roles });
      await writeAudit(tx, toAuthor(user), {
        projectId: organization.id,
        action: 'organization.create',
        after: { name },
      });
      return { ...organization, ...roles };
    });
  }

  /** @throws DomainError as `requireAdmin`. */
  async rename(organization: OwnOrganization, name: string, user: UserActor): Promise<OwnOrganization> {
    return this.em.fork().transactional(async (tx) => {
      await lockOrganization(tx, organization.id);
      const stored = await requireAdmin(tx, user, organization.id);
      if (stored.name !== name) {
        await renameOrganization(tx, organization.id, name);
        await writeAudit(tx, toAuthor(user), {
          projectId: organization.id,
          action: 'organization.update',
          before: { name: stored.name },
          after: { name },
        });
      }
      return { ...stored, name };
    });
  }

  /**
   * Deletes an organization without projects, with its members and invitations. Its audit events are kept.
   * @throws DomainError `organization_not_empty`, and as `requireAdmin`.
   */
  async remove(organizationId: string, user: UserActor): Promise<void> {
    await this.em.fork().transactional(async (tx) => {
      await lockOrganization(tx, organizationId);
      const { name } = await requireAdmin(tx, user, organizationId);
      const projects = await countProjectsOf(tx, organizationId);
      if (projects > 0) {
        throw new DomainError(
          'organization_not_empty',
          `The organization has ${projects === 1 ? '1 project. Move or delete it' : `${projects} projects. Move or delete them`} first.`,
          { members: { projects } },
        );
      }
      await writeAudit(tx, toAuthor(user), {
        projectId: organizationId,
        action: 'organization.delete',
        before: { name },
      });
      await deleteOrganization(tx, organizationId);
    });
  }
}
