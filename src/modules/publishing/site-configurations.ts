import type { EntityManager } from '@mikro-orm/postgresql';
import type { SiteConfiguration } from './domain/configuration.js';
import { readDraft, readSaved } from './infrastructure/configuration.rows.js';
import { publicationInForceAt } from './infrastructure/publication.rows.js';

/** What a project has saved for its site. */
export interface SiteConfigurations {
  /** As it is published, or the default. */
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
