import { hash } from 'node:crypto';
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

const HEADER = 'consent-log-continues/v1';
/** Maximum length of a reason, which is one line. */
export const REASON_LETTERS_MAX = 500;

/**
 * The first entry of a log that continues another one: the last known state of that log, and why it ended. Size 0: no
 * checkpoint of the former log is known here.
 */
export interface Continuation {
  origin: string;
  /** Origin of the log that it continues, with the last known size and root. */
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

/** Parses the text of an opened statement; null: not a statement. */
function readContinuation(text: string): Continuation | null {
  const [header, origin = '', formerOrigin = '', size = '', root = '', reason = '', at = '', ...rest] =
    text.split('\n');
  const formerRoot = Buffer.from(root, 'base64');
  const isStatement =
    header === HEADER &&
    origin !== '' &&
    formerOrigin !== '' &&
    /^(0|[1-9]\d{0,15})$/.test(size) &&
    reason !== '';
  if (!isStatement || rest.length !== 1 || rest[0] !== '') return null;
  if (formerRoot.length !== HASH_BYTES || formerRoot.toString('base64') !== root) return null;
  if (Number.isNaN(Date.parse(at))) return null;
  return { origin, formerOrigin, formerSize: Number(size), formerRoot, reason, at: new Date(at) };
}

/** Parses a signed statement without verifying its signature; null: not a statement. */
export function readSignedContinuation(note: string): Continuation | null {
  // A blank line separates the text of a signed note from its signatures.
  return readContinuation(note.slice(0, note.indexOf('\n\n') + 1));
}

/** The entry of a signed statement, the first of its log. */
export function continuationEntry(note: string): Buffer {
  return hash('sha256', note, 'buffer');
}
