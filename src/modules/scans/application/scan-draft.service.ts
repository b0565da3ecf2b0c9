import { Injectable } from '@nestjs/common';
import { EntityManager } from '@mikro-orm/postgresql';
import type { Author } from '../../audit/domain/author.js';
import { ConfigurationDrafts } from '../../publishing/site-configurations.js';
import type { ConfigurationChange } from '../../publishing/domain/configuration-changes.js';
import { classifyItem } from '../domain/classify-item.js';
import { draftOf, isDeclarableKind, type ScanDraft } from '../domain/scan-draft.js';
import { readSeenItems } from '../infrastructure/evidence.rows.js';
import { findScanWithResult } from '../infrastructure/scan.rows.js';
import { classificationSources } from './compute-findings.js';

/** The additions of a scan to the banner's draft. */
export interface DraftResult extends Omit<ScanDraft, 'configuration'> {
  /** How the draft differs from the saved configuration. */
  changes: ConfigurationChange[];
}

/** Puts what a scan saw into the banner's draft. */
@Injectable()
export class ScanDraftService {
  constructor(
    private readonly em: EntityManager,
    private readonly drafts: ConfigurationDrafts,
  ) {}

  /** @throws DomainError `scan_not_found`, `scan_without_result`. */
  async create(
    { projectId, author }: { projectId: string; author: Author },
    scanId: string,
  ): Promise<DraftResult> {
    const em = this.em.fork();
    await findScanWithResult(em, projectId, scanId);
    const sources = await classificationSources(em, projectId);
    const items = (await readSeenItems(em, { projectId, scanId }))
      .map((item) => ({ ...item, classification: classifyItem(item, sources) }))
      .filter(isDeclarableKind);
    const { revised, changes } = await this.drafts.revise({ projectId, author }, (base) =>
      draftOf(base, items),
    );
    const { configuration: _, ...counts } = revised;
    return { ...counts, changes };
  }
}
