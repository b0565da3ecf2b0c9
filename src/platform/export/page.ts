import { DomainError } from '../errors/domain-error.js';

/** A page of a list; `nextCursor` is null on the last page. */
export interface Page<Item> {
  items: Item[];
  nextCursor: string | null;
}

export const PAGE_LIMIT_DEFAULT = 50;
export const PAGE_LIMIT_MAX = 200;

/**
 * Converts the result of a keyset query with `limit + 1` rows to a page. `keyOf` returns the key of
 * the last row on the page; the cursor is that key in base64url, opaque to the client.
 */
export function toPage<Row, Item>(
  rows: Row[],
  limit: number,
  keyOf: (row: Row) => string,
  toItem: (row: Row) => Item,
): Page<Item> {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  const more = rows.length > limit && last !== undefined;
  return {
    items: shown.map(toItem),
    nextCursor: more ? encodeCursor(keyOf(last)) : null,
  };
}

/** A key as a cursor. */
export function encodeCursor(key: string): string {
  return Buffer.from(key).toString('base64url');
}

/**
 * The key in a cursor from `toPage`, or null without one.
 *
 * @throws DomainError `validation_failed` (422) if the cursor is invalid.
 */
export function readCursor(cursor: string | undefined, isKey: (key: string) => boolean): string | null {
  if (cursor === undefined) return null;
  const key = Buffer.from(cursor, 'base64url').toString();
  if (!isKey(key)) {
    throw new DomainError('validation_failed', 'The cursor was not issued by this list.', {
      errors: [{ field: 'cursor', message: 'Use the nextCursor of the previous page unchanged.' }],
    });
  }
  return key;
}
