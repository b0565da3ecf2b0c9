import { readCheckpoint } from './checkpoint.js';
import { computeCommitment } from './commitment.js';
import { dateProblem } from './record-check.js';
import { listSigners } from './signed-note.js';
import { readTlogProof, type TlogProof } from './tlog-proof.js';
import { leafHash } from './tree-hash.js';

/** Dates are to the millisecond, and the clocks of database and service differ. */
const SECOND_MS = 1_000;

/** An entry's position in a log, and the signatures over it. */
interface EntryFacts {
  origin: string;
  /** From 0. */
  index: number;
  /** Entries of the log at that checkpoint. */
  size: number;
  /** base64. */
  root: string;
  /** Keys that have signed: name and hash, as in the list of published keys. */
  keys: string[];
}

/** The content of a record's proof; hashes and salt in base64. */
export interface ProofFacts {
  /** The forwarded body, or `{ action: "erase", id, erasedAt }`. */
  record: Record<string, unknown>;
  salt: string;
  commitment: string;
  leaf: string;
  tree: EntryFacts;
  /** Position of the checkpoint in the root log; null while it is not anchored. */
  rootLog: EntryFacts | null;
}

interface Extra {
  record: Record<string, unknown>;
  salt: string;
  rootProof: string | null;
}

/** Parses a proof of this service. @throws Error if it is not one */
export function proofFacts(text: string): ProofFacts {
  const proof = required(readTlogProof(text));
  const { record, salt, rootProof } = JSON.parse(required(proof.extra).toString()) as Extra;
  const commitment = computeCommitment(Buffer.from(salt, 'base64'), record);
  return {
    record,
    salt,
    commitment: commitment.toString('base64'),
    leaf: leafHash(commitment).toString('base64'),
    tree: entryFacts(proof),
    rootLog: rootProof === null ? null : entryFacts(required(readTlogProof(rootProof))),
  };
}

function entryFacts({ index, checkpoint: note }: TlogProof): EntryFacts {
  const { origin, size, root } = required(readCheckpoint(note.slice(0, note.lastIndexOf('\n\n') + 1)));
  return { origin, index, size, root: root.toString('base64'), keys: listSigners(note) };
}

function required<T>(read: T | null): T {
  if (read === null) throw new Error('not a proof of this service');
  return read;
}

/**
 * Contradictions between the dates of a proof, as sentences: no proof shows that a date in a record
 * is right. `signedAt` null: unknown.
 */
export function contradictions(
  record: Record<string, unknown>,
  {
    signedAt,
    createdAt,
    isImported = false,
  }: { signedAt: Date | null; createdAt: Date; isImported?: boolean },
): string[] {
  const stored = new Date(String(record['receivedAt'] ?? record['erasedAt']));
  if (Number.isNaN(stored.getTime())) return ['The record has no date that can be read.'];
  const found: string[] = [];
  if (signedAt && stored.getTime() - signedAt.getTime() > SECOND_MS)
    found.push('The record says that it was stored after the checkpoint that contains it was signed.');
  if (stored.getTime() - createdAt.getTime() > SECOND_MS)
    found.push('The record says that it was stored after this page was created.');
  const problem = 'receivedAt' in record ? dateProblem(String(record['id']), stored, { isImported }) : null;
  if (problem !== null) found.push(`By its date, ${problem}`);
  return found;
}
