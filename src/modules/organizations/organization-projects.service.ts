import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DomainError } from '../../platform/errors/domain-error.js';
import { toAuthor, type UserActor } from '../access/domain/actor.js';
import { PeopleService } from '../access/people.service.js';
import { writeAudit } from '../audit/audit.log.js';
import type { Project } from '../projects/domain/project.js';
import { countProjectsOf, findProject, listProjectsOf, writeOrganization } from '../projects/project.rows.js';
import { projectNotFound, ProjectService } from '../projects/project.service.js';
import { ProjectEvents } from '../projects/projects.events.js';
import {
  organizationNotFound,
  organizationRoleRequired,
  PROJECTS_PER_ORGANIZATION_MAX,
} from './domain/organization.js';
import { lockOrganization } from './organization-memberships.js';
import { findOrganizationOf } from './organization-roles.js';

/** The projects of organizations: created there, moved into and out of them. */
@Injectable()
export class OrganizationProjects implements OnModuleInit {
  constructor(
    private readonly em: EntityManager,
    private readonly projects: ProjectService,
    private readonly people: PeopleService,
    private readonly events: ProjectEvents,
  ) {}

  onModuleInit(): void {
    this.events.listen({
      creating: async (tx, { userId, organizationId }) => {
        if (organizationId === null) return;
        await lockOrganization(tx, organizationId);
        await requireAdminOf(tx, organizationId, userId);
        await refuseTooManyProjects(tx, organizationId);
      },
    });
  }

  /** At most `limit` projects, newest first, after the id `after`, if given. */
  list(organizationId: string, page: { after: string | null; limit: number }): Promise<Project[]> {
    return listProjectsOf(this.em.fork(), organizationId, page);
  }

  /**
   * Moves a project into an organization, into another one, or out of its own (null), which makes
   * the caller its owner. The caller owns the project, is an admin of each organization involved,
   * and signed in recently. Keys of people who lose their role are revoked.
   * @throws DomainError `recent_sign_in_required`, `invalid_credentials`, `organization_not_found`,
   * `role_required`, `project_limit_reached`, `project_not_found`.
   */
  async move(
    { projectId, organizationId }: { projectId: string; organizationId: string | null },
    user: UserActor,
    password: string | undefined,
  ): Promise<Project> {
    await this.people.requireRecentSignIn(user, password);
    const known = await this.projects.find(projectId);
    if (!known) throw projectNotFound();
    const former = known.organizationId;
    return this.em.fork().transactional(async (tx) => {
      const involved = [former, organizationId].filter((id) => id !== null);
      for (const id of [...new Set(involved)].toSorted()) await lockOrganization(tx, id);
      await this.projects.lock(tx, projectId);
      await this.people.requireOwner(tx, user, projectId);
      for (const id of involved) await requireAdminOf(tx, id, user.userId);
      const stored = await findProject(tx, projectId);
      // Moved by another request, whose organization is not locked.
      if (stored?.organizationId !== former)
        throw new DomainError('temporarily_unavailable', 'The project is being moved. Try again.');
      if (organizationId === former) return stored;
      if (organizationId === null) await this.people.addOwner(tx, { projectId, userId: user.userId });
      else await refuseTooManyProjects(tx, organizationId);
      await tx.flush();
      await writeOrganization(tx, projectId, organizationId);
      const author = toAuthor(user);
      const change = { before: { organizationId: former }, after: { organizationId } };
      await writeAudit(tx, author, { projectId, action: 'project.move', ...change });
      for (const id of involved)
        await writeAudit(tx, author, { projectId: id, action: 'project.move', target: projectId, ...change });
      await this.people.revokeBeyondRoles(tx, { projectIds: [projectId], userId: null }, author);
      await this.events.emit('ownersChanged', tx, projectId);
      return { ...stored, organizationId };
    });
  }
}

/** @throws DomainError `organization_not_found`, `role_required`. */
async function requireAdminOf(tx: EntityManager, organizationId: string, userId: string): Promise<void> {
  const organization = await findOrganizationOf(tx, { organizationId, userId });
  if (!organization) throw organizationNotFound();
  if (organization.role !== 'admin') throw organizationRoleRequired(organization.role);
}

/** The organization's row is locked. @throws DomainError `project_limit_reached`. */
async function refuseTooManyProjects(tx: EntityManager, organizationId: string): Promise<void> {
  if ((await countProjectsOf(tx, organizationId)) < PROJECTS_PER_ORGANIZATION_MAX) return;
  throw new DomainError(
    'project_limit_reached',
    `An organization can have up to ${PROJECTS_PER_ORGANIZATION_MAX} projects.`,
  );
}
