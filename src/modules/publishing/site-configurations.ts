import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { DomainError } from '../../platform/errors/domain-error.js';
import { writeAudit } from '../audit/audit.log.js';
import type { Author } from '../audit/domain/author.js';
import { ProjectService } from '../projects/project.service.js';
import { PublicationLog } from './application/publication-log.js';
import { changesBetween, type ConfigurationChange } from './domain/configuration-changes.js';
import type { SiteConfiguration } from './domain/configuration.js';
import type { SiteDocument } from './domain/document.js';
import { draftTimes, readDraft, readSaved, writeDraft } from './infrastructure/configuration.rows.js';
import { lastPublishedOf, publicationInForceAt } from './infrastructure/publication.rows.js';

/** A project's saved configuration. */
export interface SiteConfigurations {
  /** The published one, or the default. */
  published: SiteConfiguration;
  /** null: there is none. */
  draft: SiteConfiguration | null;
}

/** Public interface of publishing for modules that compare a site with its configuration. */
export async function readConfigurations(em: EntityManager, projectId: string): Promise<SiteConfigurations> {
  const [saved, draft] = [await readSaved(em, projectId), await readDraft(em, projectId)];
  return { published: saved.configuration, draft: draft.configuration };
}

/** Hash of the document that visitors were shown at an instant; null: none is on record. */
export async function publishedHashAt(
  em: EntityManager,
  projectId: string,
  at: Date,
): Promise<string | null> {
  return (await publicationInForceAt(em, projectId, at))?.configHash ?? null;
}

/** When the newest saved configuration of each project was first published; projects without one are missing. */
export function readPublicationTimes(
  em: EntityManager,
  projectIds: readonly string[],
): Promise<Map<string, Date>> {
  return lastPublishedOf(em, projectIds);
}

/** When the draft of each project was saved; projects without one are missing. */
export function readDraftTimes(em: EntityManager, projectIds: readonly string[]): Promise<Map<string, Date>> {
  return draftTimes(em, projectIds);
}

/** Public interface of publishing: the documents that visitors were shown. */
@Injectable()
export class ShownDocuments {
  constructor(private readonly publications: PublicationLog) {}

  /** The document that a record names; null where the project has published none. @throws Error where storage does not answer. */
  async find(projectId: string, configHash: string): Promise<SiteDocument | null> {
    try {
      return await this.publications.document(projectId, configHash);
    } catch (error) {
      if (error instanceof DomainError && error.code === 'publication_not_found') return null;
      throw error;
    }
  }
}

/** Public interface of publishing for modules that propose changes of a configuration. Nothing is published. */
@Injectable()
export class ConfigurationDrafts {
  constructor(
    private readonly em: EntityManager,
    private readonly projects: ProjectService,
  ) {}

  /**
   * Changes the project's draft, or begins one from the saved configuration. Returns how it differs from the saved
   * configuration. Without a change, no draft is written.
   */
  revise<Revised extends { configuration: SiteConfiguration }>(
    { projectId, author }: { projectId: string; author: Author },
    change: (base: SiteConfiguration) => Revised,
  ): Promise<{ revised: Revised; changes: ConfigurationChange[] }> {
    return this.em.fork().transactional(async (tx) => {
      await this.projects.lock(tx, projectId);
      const [saved, draft] = [await readSaved(tx, projectId), await readDraft(tx, projectId)];
      const base = draft.configuration ?? saved.configuration;
      const revised = change(base);
      const { configuration } = revised;
      if (changesBetween(base, configuration).length > 0) {
        await writeDraft(tx, projectId, { configuration, basedOn: draft.basedOn ?? saved.version });
        await writeAudit(tx, author, {
          projectId,
          action: 'configuration.save_draft',
          before: { version: draft.version },
          after: { version: draft.version + 1 },
        });
      }
      return { revised, changes: changesBetween(saved.configuration, configuration) };
    });
  }
}
