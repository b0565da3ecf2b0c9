import { Injectable } from '@nestjs/common';
import { EntityManager } from '@mikro-orm/postgresql';
import { writeAudit } from '../audit/audit.log.js';
import { differenceOf } from '../audit/domain/audit-event.js';
import type { Author } from '../audit/domain/author.js';
import { DomainError, fieldErrors } from '../shared/domain-error.js';
import { newId } from '../shared/ids.js';
import { SettingsFrom } from '../shared/inject-settings.js';
import { type ServiceSettings, serviceSettings } from '../shared/service.settings.js';
import { normalizeDomains } from './domain/domain-name.js';
import type { Project } from './domain/project.js';
import { ProjectEntity } from './infrastructure/project.entity.js';
import { findProject, lockProject, projectOf, readProjects } from './project.rows.js';
import { ProjectEvents } from './projects.events.js';

/** What may be said about a project from outside; `domains` are checked here, one by one. */
export interface ProjectFields {
  name: string;
  domains: readonly unknown[];
}

/** The door of projects. It knows nothing of users or roles: whoever calls has checked them. */
@Injectable()
export class ProjectService {
  constructor(
    private readonly em: EntityManager,
    private readonly events: ProjectEvents,
    @SettingsFrom(serviceSettings) private readonly settings: ServiceSettings,
  ) {}

  /**
   * Makes a project for the author, a user; it starts on the tier `lite`. Access makes the user its owner, and may refuse.
   * @throws DomainError `validation_failed` with `domains.<index>` for each refused domain, `project_limit_reached`.
   */
  async create(author: Author & { kind: 'user' }, fields: ProjectFields): Promise<Project> {
    const domains = this.checkedDomains(fields.domains);
    return this.em.fork().transactional(async (tx) => {
      const project = tx.create(ProjectEntity, {
        id: newId(),
        name: fields.name,
        domains,
        tier: 'lite',
        tierReason: 'no_subscription',
        tierVersion: 0,
        createdAt: new Date(),
      });
      await tx.flush();
      await this.events.tell('created', tx, { projectId: project.id, userId: author.id });
      await writeAudit(tx, author, {
        ...{ projectId: project.id, action: 'project.create' },
        after: { name: fields.name, domains },
      });
      return projectOf(project);
    });
  }

  /** The projects with these ids, in their order; unknown ones are left out. */
  async read(ids: readonly string[]): Promise<Project[]> {
    const found = await readProjects(this.em.fork(), ids);
    const byId = new Map(found.map((project) => [project.id, project]));
    return ids.flatMap((id) => byId.get(id) ?? []);
  }

  /** The project; null where there is none. */
  find(id: string): Promise<Project | null> {
    return findProject(this.em.fork(), id);
  }

  /**
   * Changes what is given and leaves the rest. `check` may refuse it, seeing what is stored, by throwing.
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
      check(projectOf(project));
      const before = shownOf(project);
      if (fields.name !== undefined) project.name = fields.name;
      if (domains) {
        project.domains = domains;
        await this.events.tell('changed', tx, id);
      }
      const change = differenceOf(before, shownOf(project));
      if (change) await writeAudit(tx, author, { projectId: id, action: 'project.update', ...change });
      return projectOf(project);
    });
  }

  /** As `lockProject`. @throws DomainError `project_not_found`. */
  async lock(tx: EntityManager, id: string): Promise<void> {
    if (!(await lockProject(tx, id))) throw projectNotFound();
  }

  /**
   * Deletes a project: its listeners take away what is theirs, in bulk beforehand and the rest in the transaction in
   * which the project goes with all that refers to it. If this breaks off half way, the project is still there and
   * can be deleted again.
   * What the audit says of it stays, this last line included.
   * @throws DomainError `project_not_found`.
   */
  async remove(id: string, author: Author): Promise<void> {
    await this.events.tell('beforeDeletion', id);
    await this.em.fork().transactional(async (tx) => {
      await this.events.tell('deleting', tx, id);
      const project = await findProject(tx, id);
      if (project)
        await writeAudit(tx, author, {
          ...{ projectId: id, action: 'project.delete' },
          before: shownOf(project),
        });
      if ((await tx.nativeDelete(ProjectEntity, { id })) === 0) throw projectNotFound();
      await this.events.tell('deleted', tx, id);
    });
  }

  private checkedDomains(names: readonly unknown[]): string[] {
    const outcome = normalizeDomains(names, { production: this.settings.production });
    if (outcome.kind === 'refused') throw fieldErrors(outcome.errors);
    return outcome.domains;
  }
}

/** What of a project people see and change. */
function shownOf({ name, domains }: Pick<Project, 'name' | 'domains'>): { name: string; domains: string[] } {
  return { name, domains };
}

export function projectNotFound(): DomainError {
  return new DomainError('project_not_found', 'There is no such project among yours.');
}
