import type { Classification } from './classify-item.js';
import { type ItemKey, itemId, itemKey } from './item-key.js';
import type { ItemKind } from './scan.js';
import type { ScanState } from './scan-state.js';

/** Script, response or frame addresses that are kept of an item. */
const INITIATORS_MAX = 5;

/** How one page used an item. */
export interface PageUse {
  page: number;
  /** What set it on this page; null: the page did not set it, or the item is not stored. */
  setBy: 'response' | 'script' | null;
  /** Whether a request of the page sent it. */
  sent: boolean;
  /** Host and path of what caused it; null: unknown. */
  initiator: string | null;
}

/** The same, with the page's address. */
export type UsedPage = Omit<PageUse, 'page'> & { url: string };

/** Equal items of a scan in one state, as the database groups them. */
export interface ItemGroupRow {
  kind: ItemKind;
  /** Empty for requests. */
  name: string;
  host: string;
  state: ScanState;
  thirdParty: boolean;
  /** In the order of the pages; one page may have several. */
  pages: PageUse[];
  initiators: string[];
  /** Kinds of the requests, e.g. `script`, `image`. */
  types: string[];
  /** Longest time until it expires, in seconds; null: with the session, or never. */
  lifetimeSeconds: number | null;
}

/** Where an item was seen in one state. */
export interface Sighting {
  state: ScanState;
  /** Each page once, ascending. */
  pages: PageUse[];
}

/** An item of a scan in all of its states. */
export interface SeenItem extends ItemKey {
  id: string;
  thirdParty: boolean;
  initiators: string[];
  types: string[];
  lifetimeSeconds: number | null;
  /** In the order of the states. */
  sightings: Sighting[];
}

export interface ClassifiedItem extends SeenItem {
  classification: Classification;
}

/** Joins groups whose names differ only in ids, or whose hosts only below their site. */
export function foldItems(rows: readonly ItemGroupRow[]): SeenItem[] {
  const items = new Map<string, SeenItem>();
  for (const row of rows) {
    const key = itemKey(row);
    const id = itemId(key);
    const item = items.get(id);
    items.set(id, item ? joined(item, row) : { ...key, id, ...detailsOf(row) });
  }
  return [...items.values()];
}

function detailsOf(row: ItemGroupRow): Omit<SeenItem, keyof ItemKey | 'id'> {
  const { thirdParty, types, lifetimeSeconds } = row;
  const initiators = row.initiators.slice(0, INITIATORS_MAX);
  return {
    thirdParty,
    initiators,
    types,
    lifetimeSeconds,
    sightings: [{ state: row.state, pages: joinUses(row.pages) }],
  };
}

function joined(item: SeenItem, row: ItemGroupRow): SeenItem {
  const known = item.sightings.find(({ state }) => state === row.state);
  const sighting = { state: row.state, pages: joinUses([...(known?.pages ?? []), ...row.pages]) };
  return {
    ...item,
    thirdParty: item.thirdParty || row.thirdParty,
    initiators: [...new Set([...item.initiators, ...row.initiators])].slice(0, INITIATORS_MAX),
    types: [...new Set([...item.types, ...row.types])],
    lifetimeSeconds: longer(item.lifetimeSeconds, row.lifetimeSeconds),
    sightings: [...item.sightings.filter((each) => each !== known), sighting],
  };
}

/** One use for each page: what set the item counts before what only sent it. */
export function joinUses(uses: readonly PageUse[]): PageUse[] {
  const pages = new Map<number, PageUse>();
  for (const use of uses) {
    const known = pages.get(use.page);
    pages.set(use.page, known ? joinUse(known, use) : use);
  }
  return [...pages.values()].toSorted((a, b) => a.page - b.page);
}

function joinUse(a: PageUse, b: PageUse): PageUse {
  const main = a.setBy === null && (b.setBy !== null || a.initiator === null) ? b : a;
  return { ...main, sent: a.sent || b.sent };
}

function longer(a: number | null, b: number | null): number | null {
  return a === null ? b : b === null ? a : Math.max(a, b);
}
