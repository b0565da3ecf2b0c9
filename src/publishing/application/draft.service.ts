import { Injectable } from '@nestjs/common';
import { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { writeAudit } from '../../audit/audit.log.js';
import type { AuditAction } from '../../audit/domain/audit-event.js';
import type { Author } from '../../audit/domain/author.js';
import type { Project } from '../../projects/domain/project.js';
import { ProjectService } from '../../projects/project.service.js';
import { DomainError } from '../../shared/domain-error.js';
import { changesBetween, type ConfigurationChange } from '../domain/configuration-changes.js';
import { type SiteConfiguration, storedConfiguration } from '../domain/configuration.js';
import type { RenderedDocument } from '../domain/document.js';
import { publishingTables } from '../infrastructure/publishing.tables.js';
import { readSaved, SiteSource } from './site-source.js';

/** What an editor has written and not published yet. */
export interface Draft {
  /** 0: there never was one. */
  version: number;
  /** null: there is none. */
  configuration: SiteConfiguration | null;
  /** The version of the configuration that it began with. */
  basedOn: number | null;
  updatedAt: Date | null;
}

/** What a draft would be published as, and how it differs from what is saved. */
export interface Preview extends RenderedDocument {
  changes: ConfigurationChange[];
}

/** Keeps one draft for each project, for all who work on it, and shows what it would be published as. */
@Injectable()
export class DraftService {
  constructor(
    private readonly em: EntityManager,
    private readonly projects: ProjectService,
    private readonly source: SiteSource,
  ) {}

  read(projectId: string): Promise<Draft> {
    return readDraft(this.em.fork(), projectId);
  }

  /** @throws DomainError `version_conflict` (412) where `expected` (null: any) is another version. */
  async save(
    { projectId, author }: { projectId: string; author: Author },
    wanted: { configuration: SiteConfiguration; basedOn: number },
    expected: number | null,
  ): Promise<Draft> {
    return this.change({ projectId, author, action: 'configuration.save_draft' }, wanted, expected);
  }

  /** Throws the draft away. @throws DomainError `version_conflict` (412) as above. */
  async discard(
    { projectId, author }: { projectId: string; author: Author },
    expected: number | null,
  ): Promise<void> {
    await this.change({ projectId, author, action: 'configuration.discard_draft' }, null, expected);
  }

  /** Renders a configuration as it would be published now. Nothing is stored. */
  async preview(project: Project, configuration: SiteConfiguration): Promise<Preview> {
    const saved = await readSaved(this.em.fork(), project.id);
    return {
      ...(await this.source.renderAs(project, configuration, new Date())),
      changes: changesBetween(saved.configuration, configuration),
    };
  }

  private change(
    { projectId, author, action }: { projectId: string; author: Author; action: AuditAction },
    wanted: { configuration: SiteConfiguration; basedOn: number } | null,
    expected: number | null,
  ): Promise<Draft> {
    return this.em.fork().transactional(async (tx) => {
      await this.projects.lock(tx, projectId);
      const draft = await readDraft(tx, projectId);
      if (expected !== null && expected !== draft.version) throw draftConflict(draft.version);
      if (wanted === null && draft.configuration === null) return draft;
      await writeDraft(tx, projectId, wanted);
      const { version } = draft;
      // What is in it is written down when it is published.
      await writeAudit(tx, author, {
        ...{ projectId, action },
        before: { version },
        after: { version: version + 1 },
      });
      return readDraft(tx, projectId);
    });
  }
}

/**
 * Ends the draft that has just been published, in the transaction that holds the project's row.
 * @throws DomainError `version_conflict` (412) where it is another by now.
 */
export async function endDraft(tx: EntityManager, projectId: string, version: number): Promise<void> {
  const draft = await readDraft(tx, projectId);
  if (draft.version !== version) throw draftConflict(draft.version);
  if (draft.configuration !== null) await writeDraft(tx, projectId, null);
}

async function readDraft(em: EntityManager, projectId: string): Promise<Draft> {
  const row = await publishingTables(em)
    .selectFrom('configuration_draft')
    .select(['version', 'configuration', 'basedOn', 'updatedAt'])
    .where('projectId', '=', projectId)
    .executeTakeFirst();
  const { version = 0, configuration = null, basedOn = null, updatedAt = null } = row ?? {};
  if (configuration === null) return { version, configuration, basedOn: null, updatedAt: null };
  return { version, configuration: storedConfiguration(configuration), basedOn, updatedAt };
}

/** The row stays where the draft ends, so that its version never comes again. */
async function writeDraft(
  tx: EntityManager,
  projectId: string,
  wanted: { configuration: SiteConfiguration; basedOn: number } | null,
): Promise<void> {
  await sql`
    insert into configuration_draft (project_id, version, configuration, based_on)
    values (${projectId}, 1, ${wanted && JSON.stringify(wanted.configuration)}::jsonb, ${wanted?.basedOn ?? 0})
    on conflict (project_id) do update
    set version = configuration_draft.version + 1, configuration = excluded.configuration,
        based_on = excluded.based_on, updated_at = now()
  `.execute(tx.getKysely());
}

function draftConflict(currentVersion: number): DomainError {
  return new DomainError(
    'version_conflict',
    'Someone else saved the draft. Read it again and reapply your change.',
    { members: { currentVersion } },
  );
}
