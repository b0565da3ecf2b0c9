import { HASH_BYTES } from './tree-hash.js';

/** A log's statement of its tree at one size (C2SP tlog-checkpoint). */
export interface Checkpoint {
  /** `<host>/<projectId>`, or `<host>/log`. */
  origin: string;
  size: number;
  root: Buffer;
  /** Further lines, opaque to verifiers. */
  extensions?: readonly string[];
}

/** The text that is signed; it ends with a newline. */
export function checkpointText({ origin, size, root, extensions = [] }: Checkpoint): string {
  return [origin, String(size), root.toString('base64'), ...extensions, ''].join('\n');
}

/** Parses the text of an opened note; null: not a checkpoint. */
export function readCheckpoint(text: string): Checkpoint | null {
  const [origin = '', size = '', encoded = '', ...rest] = text.split('\n');
  const root = Buffer.from(encoded, 'base64');
  if (origin === '' || !/^(0|[1-9]\d{0,15})$/.test(size)) return null;
  if (root.length !== HASH_BYTES || root.toString('base64') !== encoded) return null;
  if (rest.pop() !== '' || rest.includes('')) return null;
  return { origin, size: Number(size), root, ...(rest.length > 0 && { extensions: rest }) };
}
