import { Injectable } from '@nestjs/common';
import { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { DomainError } from '../../shared/domain-error.js';
import { type Page, pageOf, readCursor } from '../../shared/page.js';
import type { SiteDocument } from '../domain/document.js';
import { changesBetween, type ConfigurationChange } from '../domain/configuration-changes.js';
import { type SiteConfiguration, storedConfiguration } from '../domain/configuration.js';
import { SiteStorage } from '../infrastructure/site-storage.js';
import { publishingTables } from '../infrastructure/publishing.tables.js';

/** What was published when, by whom. */
export interface Publication {
  version: number;
  configurationVersion: number;
  tier: string;
  configHash: string;
  regionRulesLeftOut: boolean;
  /** When it was last written to storage. */
  at: Date;
  /** Since when it is shown. */
  inForceFrom: Date;
  comment: string | null;
  /** null: no person; the tier or the domains have changed, or the author is unknown. */
  authorKind: string | null;
  authorId: string | null;
}

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
    const page = newestFirst(this.em.fork(), projectId).limit(query.limit + 1);
    const rows = await (before === null ? page : page.where('version', '<', Number(before))).execute();
    return pageOf(
      rows,
      query.limit,
      (row) => String(row.version),
      (row) => row,
    );
  }

  /** What visitors were shown at `at`. @throws DomainError `publication_not_found` (404): nothing, or it is not kept. */
  async inForceAt(projectId: string, at: Date): Promise<Publication> {
    const found = await newestFirst(this.em.fork(), projectId)
      // The response has milliseconds, and a cursor made from it must find the same row.
      .where(sql<boolean>`date_trunc('milliseconds', in_force_from) <= ${at}`)
      .limit(1)
      .executeTakeFirst();
    if (!found)
      throw new DomainError('publication_not_found', 'No published version is on record for that time.');
    return found;
  }

  /**
   * What one publication changed beside an earlier one (null: the one before it; without any, the default).
   * @throws DomainError `publication_not_found` (404).
   */
  async changes(projectId: string, version: string, since: string | null): Promise<ConfigurationChange[]> {
    const em = this.em.fork();
    const after = await configurationPublished(em, projectId, version);
    if (since !== null) return changesBetween(await configurationPublished(em, projectId, since), after);
    const before = await publishingTables(em)
      .selectFrom('publication')
      .select('configuration')
      .where('projectId', '=', projectId)
      .where('version', '<', Number(version))
      .orderBy('version', 'desc')
      .limit(1)
      .executeTakeFirst();
    return changesBetween(storedConfiguration(before?.configuration ?? null), after);
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

/** null: nothing was ever published. */
export async function lastPublication(em: EntityManager, projectId: string): Promise<Publication | null> {
  return (await newestFirst(em, projectId).limit(1).executeTakeFirst()) ?? null;
}

/** How many publications a project ever had; older ones are no longer listed, and their documents are kept. */
export async function publicationCount(em: EntityManager, projectId: string): Promise<number> {
  const last = await publishingTables(em)
    .selectFrom('publication')
    .select('version')
    .where('projectId', '=', projectId)
    .orderBy('version', 'desc')
    .limit(1)
    .executeTakeFirst();
  return last?.version ?? 0;
}

/** The configuration of one publication. @throws DomainError `publication_not_found` (404). */
export async function configurationPublished(
  em: EntityManager,
  projectId: string,
  version: string,
): Promise<SiteConfiguration> {
  const found = VERSION.test(version)
    ? await publishingTables(em)
        .selectFrom('publication')
        .select('configuration')
        .where('projectId', '=', projectId)
        .where('version', '=', Number(version))
        .executeTakeFirst()
    : undefined;
  if (!found) throw notPublished();
  return storedConfiguration(found.configuration);
}

function notPublished(): DomainError {
  return new DomainError('publication_not_found', 'Publication not found.');
}

/** A project's publications, newest first. */
function newestFirst(em: EntityManager, projectId: string) {
  return publishingTables(em)
    .selectFrom('publication')
    .select([
      'version',
      'configurationVersion',
      'tier',
      'contentHash as configHash',
      'regionRulesLeftOut',
      'at',
      'inForceFrom',
      'comment',
      'authorKind',
      'authorId',
    ])
    .where('projectId', '=', projectId)
    .orderBy('version', 'desc');
}
