import type { KeyArea } from './key-area.js';
import type { KeyScope } from './key-scope.js';
import type { Role } from './role.js';

/** An API key as it may be shown: without the hash that is kept of it. */
export interface ApiKeyFacts {
  id: string;
  name: string;
  role: Role;
  scopes: KeyScope[];
  /** null: the service itself made it, or it is older than this column. */
  createdBy?: string | null;
  /** The first characters of the key, to recognise it in a list. */
  prefix: string;
  createdAt: Date;
  /** null: still good. */
  revokedAt?: Date | null;
  /** UTC, as `2026-11-21`; null: never, or not since this is counted. */
  lastUsedOn?: string | null;
  /** null: it does not end by itself. */
  expiresAt?: Date | null;
  /** Areas below its role; null: all that the role may. */
  limitedTo?: KeyArea[] | null;
  /** Until when the key before this one is good, too; null where there is none. */
  formerValidUntil?: Date | null;
}
