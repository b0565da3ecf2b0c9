import { Injectable } from '@nestjs/common';
import { EntityManager } from '@mikro-orm/postgresql';
import { writeAudit } from '../../audit/audit.log.js';
import type { Author } from '../../audit/domain/author.js';
import { OutboxService } from '../../../platform/outbox/outbox.service.js';
import type { ServiceCategory } from '../../publishing/domain/configuration.js';
import { DomainError } from '../../../platform/errors/domain-error.js';
import { isUuid } from '../../../platform/identity/ids.js';
import { type Page, readCursor, toPage } from '../../../platform/export/page.js';
import { type Classification, type ClassificationSources, classifyItem } from '../domain/classify-item.js';
import { findEndedScan } from '../infrastructure/evidence.rows.js';
import { CookieDecisionEntity } from '../infrastructure/finding.entities.js';
import { readSiteItem, readSiteItems, type SiteItem } from '../infrastructure/site-item.rows.js';
import { scanReclassifiedMessage } from '../scans.events.js';
import { classificationSources } from './compute-findings.js';

/** What items can be listed by: a category, or that they have none. */
export type CategoryFilter = ServiceCategory | 'unclassified';

/** An item with its current classification. */
export interface ClassifiedSiteItem extends SiteItem {
  classification: Classification;
}

/** The owner's decision. */
export interface DecisionRequest {
  /** null: the decision is removed. */
  category: ServiceCategory | null;
  purpose: string | null;
  provider: string | null;
  duration: string | null;
}

/** The items that scans saw on a site, and the owner's decisions on them. */
@Injectable()
export class CookieService {
  constructor(
    private readonly em: EntityManager,
    private readonly outbox: OutboxService,
  ) {}

  /** Unknown items first, then guesses. All items are read: their order depends on their classification. */
  async list(
    projectId: string,
    { limit, cursor, category }: { limit: number; cursor?: string; category?: CategoryFilter },
  ): Promise<Page<ClassifiedSiteItem>> {
    const em = this.em.fork();
    const after = readCursor(cursor, isUuid);
    const sources = await classificationSources(em, projectId);
    const items = (await readSiteItems(em, projectId))
      .map((item) => classified(item, sources))
      .filter(
        (item) =>
          category === undefined ||
          (item.classification.category ?? 'unclassified') === category ||
          item.id === after,
      )
      .toSorted(byNeed);
    const from = after === null ? 0 : items.findIndex(({ id }) => id === after) + 1;
    return toPage(
      items.slice(from, from + limit + 1),
      limit,
      ({ id }) => id,
      (item) => item,
    );
  }

  /**
   * Decides what an item is for, or removes the decision. The findings of the newest scan follow.
   * @throws DomainError `cookie_not_found`.
   */
  async decide(
    { projectId, author }: { projectId: string; author: Author },
    id: string,
    { category, purpose, provider, duration }: DecisionRequest,
  ): Promise<ClassifiedSiteItem> {
    return this.em.fork().transactional(async (tx) => {
      const item = isUuid(id) ? await readSiteItem(tx, projectId, id) : null;
      if (!item) throw new DomainError('cookie_not_found', 'Cookie not found.');
      const { kind, name, host } = item;
      const key = { projectId, id };
      const former = await tx.findOne(CookieDecisionEntity, key, { disableIdentityMap: true });
      if (category === null) await tx.nativeDelete(CookieDecisionEntity, key);
      else {
        const decided = { category, purpose, provider, duration, decidedAt: new Date() };
        const by = { decidedByKind: author.kind, decidedById: 'id' in author ? author.id : null };
        const decision = { ...key, kind, name, host, ...decided, ...by };
        await tx.upsert(CookieDecisionEntity, decision, { disableIdentityMap: true });
      }
      await writeAudit(tx, author, {
        projectId,
        action: 'cookie.classify',
        target: id,
        ...(former && { before: { category: former.category } }),
        after: { category, kind, name, host },
      });
      const newest = await findEndedScan(tx, projectId);
      if (newest !== null) await this.outbox.append(tx, scanReclassifiedMessage({ projectId, id: newest }));
      return classified(item, await classificationSources(tx, projectId));
    });
  }
}

function classified(item: SiteItem, sources: ClassificationSources): ClassifiedSiteItem {
  return { ...item, classification: classifyItem(item, sources) };
}

const NEED = { none: 0, guess: 1, known: 2 } as const;

function byNeed(a: ClassifiedSiteItem, b: ClassifiedSiteItem): number {
  return (
    NEED[a.classification.certainty] - NEED[b.classification.certainty] ||
    Number(a.kind === 'request') - Number(b.kind === 'request') ||
    compare(a.name, b.name) ||
    compare(a.host, b.host) ||
    compare(a.id, b.id)
  );
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
