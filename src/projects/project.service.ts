import { Injectable } from '@nestjs/common';
import { EntityManager } from '@mikro-orm/postgresql';
import { type RawBuilder, sql } from 'kysely';
import { DomainError, fieldErrors } from '../shared/domain-error.js';
import { newId } from '../shared/ids.js';
import { InjectSettings, type Settings } from '../shared/settings.js';
import { normalizeDomains } from './domain/domain-name.js';
import { Project } from './project.entity.js';

/** What may be said about a project from outside; `domains` are checked here, one by one. */
export interface ProjectFields {
  name: string;
  domains: readonly unknown[];
}

/**
 * Records deleted in one transaction. A project may hold millions; one transaction over all of them would
 * outlive every timeout and hold back the vacuum of the whole database.
 */
const DELETE_BATCH_MAX = 10_000;

/** Hears of a changed or deleted project inside the transaction that does it; nothing is sent from there. */
export type ProjectListener = (tx: EntityManager, projectId: string) => Promise<void>;

/** The door of projects. It knows nothing of users or roles: whoever calls has checked them. */
@Injectable()
export class ProjectService {
  private readonly listeners: ProjectListener[] = [];

  constructor(
    private readonly em: EntityManager,
    @InjectSettings() private readonly settings: Settings,
  ) {}

  /** Signs somebody up for changes of domains and for deletions; call it while modules start. */
  whenChanged(listener: ProjectListener): void {
    this.listeners.push(listener);
  }

  /**
   * Makes a project inside the caller's transaction and writes it at once, so that rows which refer to it
   * may follow. It starts on the tier `lite`.
   * @throws DomainError `validation_failed` with `domains.<index>` for each refused domain.
   */
  async create(tx: EntityManager, fields: ProjectFields): Promise<Project> {
    const project = tx.create(Project, {
      id: newId(),
      name: fields.name,
      domains: this.checkedDomains(fields.domains),
      tier: 'lite',
      tierReason: 'no_subscription',
      tierVersion: 0,
      createdAt: new Date(),
    });
    await tx.flush();
    return project;
  }

  /** The projects with these ids, in their order; unknown ones are left out. */
  async read(ids: readonly string[]): Promise<Project[]> {
    const found = await this.em.fork().find(Project, { id: { $in: [...ids] } });
    const byId = new Map(found.map((project) => [project.id, project]));
    return ids.flatMap((id) => byId.get(id) ?? []);
  }

  /**
   * Changes what is given and leaves the rest. `check` may refuse it, seeing what is stored, by throwing.
   * @throws DomainError `project_not_found`, or `validation_failed` as in `create`.
   */
  async update(
    id: string,
    fields: Partial<ProjectFields>,
    check: (stored: Project) => void = () => {},
  ): Promise<Project> {
    const domains = fields.domains && this.checkedDomains(fields.domains);
    return this.em.fork().transactional(async (tx) => {
      await this.lock(tx, id);
      const project = await tx.findOneOrFail(Project, { id });
      check(project);
      if (fields.name !== undefined) project.name = fields.name;
      if (domains) {
        project.domains = domains;
        await this.tell(tx, id);
      }
      return project;
    });
  }

  /**
   * Holds the project's row until the caller's transaction ends, so that rules over its rows (the last
   * owner, the number of keys) are checked by one request at a time. It does not wait for, nor delay,
   * inserts of rows that refer to the project.
   * @throws DomainError `project_not_found`.
   */
  async lock(tx: EntityManager, id: string): Promise<void> {
    const { rows } = await sql`select 1 from project where id = ${id} for no key update`.execute(
      tx.getKysely(),
    );
    if (rows.length === 0) throw projectNotFound();
  }

  /**
   * Deletes a project and its data: consent records in batches first, then in one transaction what is left
   * of them, the messages not yet worked on, and the project with all that refers to it. If this breaks off
   * half way, the project is still there and can be deleted again.
   * A record whose ingest is under way in the very moment of the last commit stays until its retention ends.
   * @throws DomainError `project_not_found`.
   */
  async remove(id: string): Promise<void> {
    const em = this.em.fork();
    let deleted: number;
    do {
      const { numAffectedRows } = await deleteRecordBatch(id).execute(em.getKysely());
      deleted = Number(numAffectedRows ?? 0);
    } while (deleted === DELETE_BATCH_MAX);
    await em.transactional(async (tx) => {
      const kysely = tx.getKysely();
      // These tables have no foreign key to the project: the ingest path does not pay for its check. Messages
      // go before the project, in the order in which a worker that settles them takes its locks.
      await sql`delete from outbox_message where project_id = ${id}`.execute(kysely);
      await sql`delete from outbox_dead_letter where project_id = ${id}`.execute(kysely);
      // Few: what came in since the last batch.
      await sql`delete from consent_record where project_id = ${id}`.execute(kysely);
      await sql`delete from delivery where project_id = ${id}`.execute(kysely);
      const { numAffectedRows } = await sql`delete from project where id = ${id}`.execute(kysely);
      if (Number(numAffectedRows ?? 0) === 0) throw projectNotFound();
      await this.tell(tx, id);
    });
  }

  private async tell(tx: EntityManager, projectId: string): Promise<void> {
    for (const listener of this.listeners) await listener(tx, projectId);
  }

  private checkedDomains(names: readonly unknown[]): string[] {
    const outcome = normalizeDomains(names, { production: this.settings.production });
    if (outcome.kind === 'refused') throw fieldErrors(outcome.errors);
    return outcome.domains;
  }
}

export function projectNotFound(): DomainError {
  return new DomainError('project_not_found', 'There is no such project among yours.');
}

function deleteRecordBatch(projectId: string): RawBuilder<unknown> {
  return sql`
    with doomed as (
      select project_id, id from consent_record where project_id = ${projectId} order by id limit ${DELETE_BATCH_MAX}
    )
    delete from consent_record using doomed
    where consent_record.project_id = doomed.project_id and consent_record.id = doomed.id
  `;
}
