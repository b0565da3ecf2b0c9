import { Injectable } from '@nestjs/common';
import { PublicationLog } from './application/publication-log.js';
import type { SiteDocument } from './domain/document.js';
import { DomainError } from '../../platform/errors/domain-error.js';

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
