import type { Author } from '../../audit/domain/author.js';

/** Who made a save, and what they said about it. */
export interface SaveNote {
  /** The save: the version of the configuration. */
  version: number;
  comment: string | null;
  author: { kind: Author['kind']; id: string | null };
}
