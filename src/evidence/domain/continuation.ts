import { hash } from 'node:crypto';
import { HASH_BYTES } from './tree-hash.js';

const HEADER = 'consent-log-continues/v1';
/** Letters of a reason, which is one line. */
export const REASON_LETTERS_MAX = 500;

/** The statement that a log begins with where it continues another one: what of that was known, and why it ended. */
export interface Continuation {
  /** Of the log that begins. */
  origin: string;
  /** Of the log that it continues, with the last size and root that were known. */
  formerOrigin: string;
  formerSize: number;
  formerRoot: Buffer;
  reason: string;
  /** By our clock. */
  at: Date;
}

/** The text that is signed; it ends with a newline. */
export function continuationText(continuation: Continuation): string {
  const { origin, formerOrigin, formerSize, formerRoot, reason, at } = continuation;
  return [
    HEADER,
    origin,
    formerOrigin,
    String(formerSize),
    formerRoot.toString('base64'),
    reason,
    at.toISOString(),
    '',
  ].join('\n');
}

/** Reads the text of an opened statement; null where it is none. */
function readContinuation(text: string): Continuation | null {
  const [header, origin = '', formerOrigin = '', size = '', root = '', reason = '', at = '', ...rest] =
    text.split('\n');
  const formerRoot = Buffer.from(root, 'base64');
  const isOne =
    header === HEADER &&
    origin !== '' &&
    formerOrigin !== '' &&
    /^[1-9]\d{0,15}$/.test(size) &&
    reason !== '';
  if (!isOne || rest.length !== 1 || rest[0] !== '') return null;
  if (formerRoot.length !== HASH_BYTES || formerRoot.toString('base64') !== root) return null;
  if (Number.isNaN(Date.parse(at))) return null;
  return { origin, formerOrigin, formerSize: Number(size), formerRoot, reason, at: new Date(at) };
}

/** Reads a signed statement without checking its signature; null where it is none. */
export function readSignedContinuation(note: string): Continuation | null {
  // A blank line separates the text of a signed note from its signatures.
  return readContinuation(note.slice(0, note.indexOf('\n\n') + 1));
}

/** The entry of a signed statement, the first of its log. */
export function continuationEntry(note: string): Buffer {
  return hash('sha256', note, 'buffer');
}
