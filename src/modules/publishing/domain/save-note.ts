import type { Author } from '../../audit/domain/author.js';

/** The author of a save, with their comment. */
export interface SaveNote {
  /** The save: the version of the configuration. */
  version: number;
  comment: string | null;
  author: { kind: Author['kind']; id: string | null };
}
