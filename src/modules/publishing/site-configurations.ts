import type { EntityManager } from '@mikro-orm/postgresql';
import type { SiteConfiguration } from './domain/configuration.js';
import { readDraft, readSaved } from './infrastructure/configuration.rows.js';
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

/** When a saved configuration of each project was last published; projects without one are missing. */
export function readPublicationTimes(
  em: EntityManager,
  projectIds: readonly string[],
): Promise<Map<string, Date>> {
  return lastPublishedOf(em, projectIds);
}
