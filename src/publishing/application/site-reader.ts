import { Injectable } from '@nestjs/common';
import { type LoaderScript, loaderScript } from '../infrastructure/loader-script.js';
import { ObjectStorage } from '../infrastructure/object-storage.js';
import type { SiteDocument } from '../domain/document.js';
import { SiteSource } from './site-source.js';

/** Reads what is published, as a site's visitors get it. */
@Injectable()
export class SiteReader {
  constructor(
    private readonly storage: ObjectStorage,
    private readonly source: SiteSource,
  ) {}

  /**
   * The published document; of a project that has not published yet, what it would publish now. null where
   * the project does not exist.
   */
  async read(projectId: string): Promise<SiteDocument | null> {
    const published = await this.storage.read(`${projectId}/config.json`);
    if (published !== null) return JSON.parse(published) as SiteDocument;
    return (await this.source.render(projectId, new Date()))?.document ?? null;
  }

  /** The loader, the same for every project: it finds its project in its own address. */
  loader(): LoaderScript {
    return loaderScript();
  }
}
