import type { Classification } from './classify-item.js';
import { type ItemKey, itemId, itemKey } from './item-key.js';
import type { ItemKind } from './scan.js';
import type { ScanState } from './scan-state.js';

/** Script, response or frame addresses that are kept of an item. */
const INITIATORS_MAX = 5;

/** Equal items of a scan in one state, as the database groups them. */
export interface ItemGroupRow {
  kind: ItemKind;
  /** Empty for requests. */
  name: string;
  host: string;
  state: ScanState;
  thirdParty: boolean;
  /** Numbers of the pages, ascending. */
  pages: number[];
  initiators: string[];
  /** How requests were made, e.g. `script`, `image`. */
  types: string[];
  /** Longest time until it expires, in seconds; null: with the session, or never. */
  lifetimeSeconds: number | null;
}

/** Where an item was seen in one state. */
export interface Sighting {
  state: ScanState;
  pages: number[];
  initiator: string | null;
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
  return { thirdParty, initiators, types, lifetimeSeconds, sightings: [sightingOf(row)] };
}

function joined(item: SeenItem, row: ItemGroupRow): SeenItem {
  const known = item.sightings.find(({ state }) => state === row.state);
  const pages = [...new Set([...(known?.pages ?? []), ...row.pages])].toSorted((a, b) => a - b);
  const sighting = {
    state: row.state,
    pages,
    initiator: known?.initiator ?? row.initiators[0] ?? null,
  };
  return {
    ...item,
    thirdParty: item.thirdParty || row.thirdParty,
    initiators: [...new Set([...item.initiators, ...row.initiators])].slice(0, INITIATORS_MAX),
    types: [...new Set([...item.types, ...row.types])],
    lifetimeSeconds: longer(item.lifetimeSeconds, row.lifetimeSeconds),
    sightings: [...item.sightings.filter((each) => each !== known), sighting],
  };
}

function sightingOf({ state, pages, initiators }: ItemGroupRow): Sighting {
  return { state, pages, initiator: initiators[0] ?? null };
}

function longer(a: number | null, b: number | null): number | null {
  return a === null ? b : b === null ? a : Math.max(a, b);
}
