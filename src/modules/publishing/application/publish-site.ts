import { Injectable } from '@nestjs/common';
import { EntityManager } from '@mikro-orm/postgresql';
import { writeEvents } from '../../events/event.log.js';
import { declarations } from '../domain/declaration.js';
import { declarationPage } from '../domain/declaration-page.js';
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
import { publishedFile } from '../domain/published-files.js';
import { visitorFiles } from '../domain/visitor-files.js';
import { DOCUMENTS_KEPT_MAX } from '../domain/publishing.limits.js';
import { type RenderedSite, SiteSource } from './site-reader.js';

/** How often a publication restarts for changes made while it ran; later changes have their own message. */
const ROUNDS_MAX = 3;

/** Object storage failed. Other errors are ours. */
export class StorageError extends Error {}

export type PublishOutcome =
  /** Storage has the files of the newest rows. */
  | 'published'
  /** The project and its objects are deleted. */
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
   * Idempotent, and safe to interrupt: files are referenced only after all are written.
   *
   * @throws StorageError if storage fails.
   */
  async publish(projectId: string): Promise<PublishOutcome> {
    return (await this.lock.hold(projectId, (lock) => this.publishAlone(projectId, lock))) ?? 'busy';
  }

  private async publishAlone(projectId: string, lock: HeldLock): Promise<PublishOutcome> {
    let site = await this.source.render(projectId, new Date());
    for (let round = 1; site; round += 1) {
      const { hash, body, document, logo } = site;
      const metadata = { tier: document.tier };
      const { configuration, files } = visitorFiles(document);
      // The build's own: a document is rendered with its name.
      const forPages = pageScript(document.bannerScript ?? '');
      if (forPages) await this.put(projectId, forPages.name, forPages.body);
      const forServices = pageScript(document.serviceScript ?? '');
      if (forServices) await this.put(projectId, forServices.name, forServices.body);
      if (logo) await this.put(projectId, logo.name, logo.body);
      if ((await publicationCount(this.em.fork(), projectId)) < DOCUMENTS_KEPT_MAX)
        await this.put(projectId, `${hash}.json`, body, metadata);
      for (const file of files) await this.put(projectId, file.name, file.body);
      // The first write may have taken seconds, so render again: only the current state may be
      // referenced.
      const newest = await this.source.render(projectId, new Date());
      if (newest && newest.hash !== hash && round < ROUNDS_MAX) {
        site = newest;
        continue;
      }
      if (!newest) break;
      if (newest.hash === hash) site = newest;
      await this.put(projectId, 'loader.js', loaderScript().body);
      await this.put(projectId, 'blocker.js', blockerScript(projectId, site.saved.configuration));
      await this.put(projectId, 'declaration.js', declarationScript(site.document));
      await this.put(
        projectId,
        'declaration.html',
        declarationPage(declarations(site.document), { ...site.document, updatedAt: site.saved.updatedAt }),
      );
      lock.check();
      await this.put(projectId, 'config.json', JSON.stringify(configuration), metadata);
      lock.check();
      await this.record(projectId, site);
      return 'published';
    }
    await this.storage.removeAll(projectId).catch(asStorageError);
    return 'removed';
  }

  private put(
    projectId: string,
    name: string,
    body: string | Uint8Array,
    metadata?: Record<string, string>,
  ): Promise<void> {
    const { contentType, cacheControl } = publishedFile(name);
    const options = { contentType, cacheControl, ...(metadata && { metadata }) };
    return this.storage.put(`${projectId}/${name}`, body, options).catch(asStorageError);
  }

  /** Adds to the project's history; publishing the same document again only updates the time of the last entry. */
  private async record(projectId: string, site: RenderedSite): Promise<void> {
    const { hash, document, saved, regionRulesLeftOut } = site;
    const { comment = null, author = null } = saved.note ?? {};
    await this.em.fork().transactional(async (tx) => {
      const isNew = await insertPublication(tx, projectId, {
        configurationVersion: saved.version,
        configuration: saved.configuration,
        tier: document.tier,
        contentHash: hash,
        regionRulesLeftOut,
        comment,
        author,
      });
      const data = { tier: document.tier };
      if (isNew) await writeEvents(tx, projectId, [{ type: 'configuration.published', id: hash, data }]);
      await deleteOldPublications(tx, projectId);
    });
  }
}

function asStorageError(cause: unknown): never {
  throw new StorageError('Object storage failed.', { cause });
}
