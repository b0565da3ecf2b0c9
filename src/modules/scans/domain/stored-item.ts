import type { ItemKind } from './scan.js';

const STORED: ReadonlySet<ItemKind> = new Set<ItemKind>([
  'cookie',
  'local_storage',
  'session_storage',
  'indexed_db',
]);

export function isStored({ kind }: { kind: ItemKind }): boolean {
  return STORED.has(kind);
}
