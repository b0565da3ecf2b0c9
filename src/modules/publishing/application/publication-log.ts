import { Injectable } from '@nestjs/common';
import { EntityManager } from '@mikro-orm/postgresql';
import { DomainError } from '../../../platform/errors/domain-error.js';
import { type Page, toPage, readCursor } from '../../../platform/export/page.js';
import type { SiteDocument } from '../domain/document.js';
import { changesBetween, type ConfigurationChange } from '../domain/configuration-changes.js';
import type { Publication, SiteConfiguration } from '../domain/configuration.js';
import { SiteStorage } from '../infrastructure/site-storage.js';
import {
  configurationBefore,
  publicationInForceAt,
  readPublicationPage,
  readPublishedConfiguration,
} from '../infrastructure/publication.rows.js';

const VERSION = /^\d{1,15}$/;
const CONFIG_HASH = /^[0-9a-f]{64}$/;

/** Reads what a project has published: its history, and each of the documents that visitors were shown. */
@Injectable()
export class PublicationLog {
  constructor(
    private readonly em: EntityManager,
    private readonly storage: SiteStorage,
  ) {}

  /** Newest first. */
  async list(projectId: string, query: { limit: number; cursor?: string }): Promise<Page<Publication>> {
    const before = readCursor(query.cursor, (key) => VERSION.test(key));
    const rows = await readPublicationPage(this.em.fork(), projectId, {
      before: before === null ? null : Number(before),
      limit: query.limit + 1,
    });
    return toPage(
      rows,
      query.limit,
      (row) => String(row.version),
      (row) => row,
    );
  }

  /**
   * The publication that visitors were shown at `at`. @throws DomainError `publication_not_found`
   * (404): none, or no longer stored.
   */
  async inForceAt(projectId: string, at: Date): Promise<Publication> {
    const found = await publicationInForceAt(this.em.fork(), projectId, at);
    if (!found)
      throw new DomainError('publication_not_found', 'No published version is on record for that time.');
    return found;
  }

  /**
   * The changes of one publication compared with an earlier one (null: the previous one; without
   * any, the default).
   *
   * @throws DomainError `publication_not_found` (404).
   */
  async changes(projectId: string, version: string, since: string | null): Promise<ConfigurationChange[]> {
    const em = this.em.fork();
    const after = await configurationPublished(em, projectId, version);
    if (since !== null) return changesBetween(await configurationPublished(em, projectId, since), after);
    return changesBetween(await configurationBefore(em, projectId, Number(version)), after);
  }

  /**
   * The very document that visitors were shown; it is kept as long as the project, longer than the history.
   * @throws DomainError `publication_not_found` (404). @throws Error where storage does not answer.
   */
  async document(projectId: string, configHash: string): Promise<SiteDocument> {
    const body = CONFIG_HASH.test(configHash)
      ? await this.storage.read(`${projectId}/${configHash}.json`)
      : null;
    if (body === null) throw notPublished();
    return JSON.parse(body) as SiteDocument;
  }
}

/** The configuration of one publication. @throws DomainError `publication_not_found` (404). */
export async function configurationPublished(
  em: EntityManager,
  projectId: string,
  version: string,
): Promise<SiteConfiguration> {
  const found = VERSION.test(version)
    ? await readPublishedConfiguration(em, projectId, Number(version))
    : null;
  if (!found) throw notPublished();
  return found;
}

function notPublished(): DomainError {
  return new DomainError('publication_not_found', 'Publication not found.');
}
