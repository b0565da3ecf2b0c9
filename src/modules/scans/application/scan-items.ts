import { createHash } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import { canonicalJson } from '../../evidence/domain/commitment.js';
import type { ScanItemView } from '../domain/scan-view.js';
import type { ScanRef } from '../infrastructure/evidence.rows.js';
import { readItemPage } from '../infrastructure/scan.rows.js';

const ITEMS_AT_ONCE = 2_000;

/** Everything that a scan saw, by state, page and number, in batches. */
export async function* itemBatches(em: EntityManager, scan: ScanRef): AsyncGenerator<ScanItemView[]> {
  let items: ScanItemView[] = [];
  do {
    items = await readItemPage(em, scan, { after: items.at(-1) ?? null, limit: ITEMS_AT_ONCE });
    if (items.length > 0) yield items;
  } while (items.length === ITEMS_AT_ONCE);
}

/** SHA-256 over the canonical JSON of each item of a scan, in their order, each followed by a line feed. */
export async function hashItems(
  em: EntityManager,
  scan: ScanRef,
): Promise<{ count: number; sha256: string }> {
  const hash = createHash('sha256');
  let count = 0;
  for await (const items of itemBatches(em, scan)) {
    count += items.length;
    hash.update(items.map((item) => `${canonicalJson(item)}\n`).join(''));
  }
  return { count, sha256: hash.digest('hex') };
}
