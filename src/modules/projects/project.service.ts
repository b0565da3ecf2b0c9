import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DomainError, fieldErrors } from '../../platform/errors/domain-error.js';
import { newId } from '../../platform/identity/ids.js';
import { deleteOfProject } from '../../platform/outbox/queued-messages.js';
import { InjectSettings } from '../../platform/settings/inject-settings.js';
import { serviceSettings, type ServiceSettings } from '../../platform/settings/service.settings.js';
import { writeAudit } from '../audit/audit.log.js';
import { diffStates } from '../audit/domain/audit-event.js';
import type { Author } from '../audit/domain/author.js';
import { normalizeDomains } from './domain/domain-name.js';
import type { Project } from './domain/project.js';
import { ProjectEntity } from './infrastructure/project.entity.js';
import { findProject, lockProject, readProjects, toProject } from './project.rows.js';
import { ProjectEvents, type ProjectListener } from './projects.events.js';

/** The fields of a project that callers can set; `domains` are checked here, individually. */
export interface ProjectFields {
  name: string;
  domains: readonly unknown[];
  controllerName: string | null;
  controllerContact: string | null;
}

/** The public interface of projects. The caller must check users and roles. */
@Injectable()
export class ProjectService {
  constructor(
    private readonly em: EntityManager,
    private readonly events: ProjectEvents,
    @InjectSettings(serviceSettings) private readonly settings: ServiceSettings,
  ) {}

  /**
   * Creates a project for the author, a user, with the tier `lite`. Access makes the user its
   * owner, unless it belongs to an organization; listeners may refuse.
   * @throws DomainError `validation_failed` with `domains.<index>` for each refused domain,
   * `project_limit_reached`, and `organization_not_found` and `role_required` of the organization.
   */
  async create(
    author: Author & { kind: 'user' },
    fields: Pick<ProjectFields, 'name' | 'domains'> & Partial<ProjectFields>,
    organizationId: string | null = null,
  ): Promise<Project> {
    const domains = this.checkedDomains(fields.domains);
    return this.em.fork().transactional(async (tx) => {
      await this.events.emit('creating', tx, { userId: author.id, organizationId });
      const project = tx.create(ProjectEntity, {
        id: newId(),
        name: fields.name,
        domains,
        controllerName: fields.controllerName ?? null,
        controllerContact: fields.controllerContact ?? null,
        organizationId,
        tier: 'lite',
        tierReason: 'no_subscription',
        tierVersion: 0,
        createdAt: new Date(),
      });
      await tx.flush();
      await this.events.emit('created', tx, { projectId: project.id, userId: author.id, organizationId });
      await writeAudit(tx, author, {
        projectId: project.id,
        action: 'project.create',
        after: givenOf(toProject(project)),
      });
      await auditInOrganization(tx, author, { project: toProject(project), action: 'project.create' });
      return toProject(project);
    });
  }

  /** The projects with these ids, in their order; unknown ones are missing. */
  async read(ids: readonly string[]): Promise<Project[]> {
    const found = await readProjects(this.em.fork(), ids);
    const byId = new Map(found.map((project) => [project.id, project]));
    return ids.flatMap((id) => byId.get(id) ?? []);
  }

  find(id: string): Promise<Project | null> {
    return findProject(this.em.fork(), id);
  }

  /**
   * Changes the given fields. `check` gets the stored project and may throw to refuse the change.
   * @throws DomainError `project_not_found`, or `validation_failed` as in `create`.
   */
  async update(
    { id, author }: { id: string; author: Author },
    fields: Partial<ProjectFields>,
    check: (stored: Project) => void = () => {},
  ): Promise<Project> {
    const domains = fields.domains && this.checkedDomains(fields.domains);
    return this.em.fork().transactional(async (tx) => {
      await this.lock(tx, id);
      const project = await tx.findOneOrFail(ProjectEntity, { id });
      check(toProject(project));
      const before = shownOf(toProject(project));
      const { name = project.name, controllerName, controllerContact } = fields;
      project.name = name;
      if (domains) project.domains = domains;
      if (controllerName !== undefined) project.controllerName = controllerName;
      if (controllerContact !== undefined) project.controllerContact = controllerContact;
      const published = [domains, controllerName, controllerContact];
      if (published.some((given) => given !== undefined)) await this.events.emit('changed', tx, id);
      const change = diffStates(before, shownOf(toProject(project)));
      if (change) await writeAudit(tx, author, { projectId: id, action: 'project.update', ...change });
      return toProject(project);
    });
  }

  /** As `lockProject`. @throws DomainError `project_not_found`. */
  async lock(tx: EntityManager, id: string): Promise<void> {
    if (!(await lockProject(tx, id))) throw projectNotFound();
  }

  /**
   * Deletes a project: listeners delete their rows, in bulk beforehand and the rest in the
   * transaction that deletes the project with everything that references it. If this fails half
   * way, the project still exists and can be deleted again. Its audit events are kept, including
   * this last one.
   * @throws DomainError `project_not_found`.
   */
  async remove(id: string, author: Author): Promise<void> {
    await this.events.emit('beforeDeletion', id);
    await this.em.fork().transactional(async (tx) => {
      await this.events.emit('deleting', tx, id);
      const project = await findProject(tx, id);
      if (project) {
        await writeAudit(tx, author, { projectId: id, action: 'project.delete', before: givenOf(project) });
        await auditInOrganization(tx, author, { project, action: 'project.delete' });
      }
      if ((await tx.nativeDelete(ProjectEntity, { id })) === 0) throw projectNotFound();
      await this.events.emit('deleted', tx, id);
    });
  }

  private checkedDomains(names: readonly unknown[]): string[] {
    const outcome = normalizeDomains(names, { production: this.settings.production });
    if (outcome.kind === 'refused') throw fieldErrors(outcome.errors);
    return outcome.domains;
  }
}

/** The fields of a project that users see and change. */
function shownOf({ name, domains, controllerName, controllerContact }: Project): Record<string, unknown> {
  return { name, domains, controllerName, controllerContact };
}

/** The same without the fields that are not set. */
function givenOf(project: Project): Record<string, unknown> {
  return Object.fromEntries(Object.entries(shownOf(project)).filter(([, value]) => value !== null));
}

/** The audit log of an organization contains the creation and deletion of its projects, too. */
async function auditInOrganization(
  tx: EntityManager,
  author: Author,
  { project, action }: { project: Project; action: 'project.create' | 'project.delete' },
): Promise<void> {
  const { organizationId, id: target, name } = project;
  if (organizationId === null) return;
  const state = action === 'project.create' ? { after: { name } } : { before: { name } };
  await writeAudit(tx, author, { projectId: organizationId, action, target, ...state });
}

export function projectNotFound(): DomainError {
  return new DomainError('project_not_found', 'Project not found.');
}

@Injectable()
export class DeleteProjectMessages implements ProjectListener, OnModuleInit {
  constructor(private readonly projects: ProjectEvents) {}

  onModuleInit(): void {
    this.projects.listen(this);
  }

  /** Before the project's row is locked: the lock order of workers that settle messages. */
  deleting(tx: EntityManager, projectId: string): Promise<void> {
    return deleteOfProject(tx, projectId);
  }
}
