import { Injectable } from '@nestjs/common';
import { EntityManager } from '@mikro-orm/postgresql';
import { CONFIGURATION, IMMUTABLE, LOADER } from '../domain/cache-control.js';
import { declarationPage } from '../domain/declaration-page.js';
import { declarations } from '../domain/declaration.js';
import {
  blockerScript,
  declarationScript,
  loaderScript,
  pageScript,
} from '../infrastructure/loader-script.js';
import {
  deleteOldPublications,
  insertPublication,
  publicationCount,
} from '../infrastructure/publication.rows.js';
import { SiteStorage } from '../infrastructure/site-storage.js';
import { type HeldLock, PublishLock } from '../infrastructure/publish-lock.js';
import { DOCUMENTS_KEPT_MAX } from '../domain/publishing.limits.js';
import { type RenderedSite, SiteSource } from './site-source.js';

const JSON_TYPE = 'application/json; charset=utf-8';
const SCRIPT_TYPE = 'text/javascript; charset=utf-8';
const PAGE_TYPE = 'text/html; charset=utf-8';
const LOGO_TYPE = 'image/png';
/** Changes that come while objects are written are taken up so often; whatever comes later has its own message. */
const ROUNDS_MAX = 3;

/** Storage did not do what it was asked to. Whatever else is thrown is not its fault. */
export class StorageError extends Error {}

export type PublishOutcome =
  /** Storage has what the newest rows say. */
  | 'published'
  /** The project is gone, and so are its objects. */
  | 'removed'
  /** Another worker is publishing this project. */
  | 'busy';

/** Publishes one project: one worker at a time, the newest rows, the pointer last (design §6.6). */
@Injectable()
export class PublishSite {
  constructor(
    private readonly em: EntityManager,
    private readonly source: SiteSource,
    private readonly storage: SiteStorage,
    private readonly lock: PublishLock,
  ) {}

  /**
   * May run twice, and may be broken off anywhere: what was written by then is either not yet pointed at or
   * is what the rows said.
   * @throws StorageError where storage fails.
   */
  async publish(projectId: string): Promise<PublishOutcome> {
    return (await this.lock.hold(projectId, (lock) => this.publishAlone(projectId, lock))) ?? 'busy';
  }

  private async publishAlone(projectId: string, lock: HeldLock): Promise<PublishOutcome> {
    let site = await this.source.render(projectId, new Date());
    for (let round = 1; site; round += 1) {
      const { hash, body, document, logo } = site;
      const metadata = { tier: document.tier };
      const options = { contentType: JSON_TYPE, metadata };
      // The build's own: a document is rendered with its name.
      const forPages = pageScript(document.bannerScript ?? '');
      if (forPages) {
        await this.put(`${projectId}/${forPages.name}`, forPages.body, {
          contentType: SCRIPT_TYPE,
          cacheControl: IMMUTABLE,
        });
      }
      if (logo)
        await this.put(`${projectId}/${logo.name}`, logo.body, {
          contentType: LOGO_TYPE,
          cacheControl: IMMUTABLE,
        });
      if ((await publicationCount(this.em.fork(), projectId)) < DOCUMENTS_KEPT_MAX)
        await this.put(`${projectId}/${hash}.json`, body, { ...options, cacheControl: IMMUTABLE });
      // The first write may have taken seconds: what is pointed at is what holds now.
      const newest = await this.source.render(projectId, new Date());
      if (newest && newest.hash !== hash && round < ROUNDS_MAX) {
        site = newest;
        continue;
      }
      if (!newest) break;
      if (newest.hash === hash) site = newest;
      await this.put(`${projectId}/loader.js`, loaderScript().body, {
        contentType: SCRIPT_TYPE,
        cacheControl: LOADER,
      });
      await this.put(`${projectId}/blocker.js`, blockerScript(projectId, site.saved.configuration), {
        contentType: SCRIPT_TYPE,
        cacheControl: CONFIGURATION,
      });
      await this.put(`${projectId}/declaration.js`, declarationScript(site.document), {
        contentType: SCRIPT_TYPE,
        cacheControl: CONFIGURATION,
      });
      await this.put(`${projectId}/declaration.html`, declarationPage(declarations(site.document)), {
        contentType: PAGE_TYPE,
        cacheControl: CONFIGURATION,
      });
      lock.check();
      await this.put(`${projectId}/config.json`, body, { ...options, cacheControl: CONFIGURATION });
      lock.check();
      await this.record(projectId, site);
      return 'published';
    }
    await this.storage.removeAll(projectId).catch(asStorageError);
    return 'removed';
  }

  private put(...args: Parameters<SiteStorage['put']>): Promise<void> {
    return this.storage.put(...args).catch(asStorageError);
  }

  /** Adds to the project's history; publishing the same document again only updates the time of the last entry. */
  private async record(projectId: string, site: RenderedSite): Promise<void> {
    const { hash, document, saved, regionRulesLeftOut } = site;
    const { comment = null, author = null } = saved.note ?? {};
    await this.em.fork().transactional(async (tx) => {
      await insertPublication(tx, projectId, {
        ...{ configurationVersion: saved.version, configuration: saved.configuration },
        ...{ tier: document.tier, contentHash: hash, regionRulesLeftOut, comment, author },
      });
      await deleteOldPublications(tx, projectId);
    });
  }
}

function asStorageError(cause: unknown): never {
  throw new StorageError('Object storage failed.', { cause });
}
