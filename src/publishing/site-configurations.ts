import type { EntityManager } from '@mikro-orm/postgresql';
import type { SiteConfiguration } from './domain/configuration.js';
import { readDraft, readSaved } from './infrastructure/configuration.rows.js';

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
