import { readCheckpoint } from './checkpoint.js';
import { commitmentOf } from './commitment.js';
import { signersOf } from './signed-note.js';
import { readTlogProof, type TlogProof } from './tlog-proof.js';
import { leafHash } from './tree-hash.js';

/** An entry's position in a log, and the signatures over it. */
export interface PlaceFacts {
  origin: string;
  /** Its place, from 0. */
  index: number;
  /** Entries of the log at that checkpoint. */
  size: number;
  /** base64. */
  root: string;
  /** Of the keys that have signed: name and number, as in the list of published keys. */
  keys: string[];
}

/** The content of a record's proof; hashes and salt in base64. */
export interface ProofFacts {
  /** The forwarded body, or `{ action: "erase", id, erasedAt }`. */
  record: Record<string, unknown>;
  salt: string;
  commitment: string;
  leaf: string;
  tree: PlaceFacts;
  /** Where the log of all projects has the checkpoint; null while it has not. */
  rootLog: PlaceFacts | null;
}

interface Extra {
  record: Record<string, unknown>;
  salt: string;
  rootProof: string | null;
}

/** Reads a proof that we have made. @throws Error where it is none */
export function proofFacts(text: string): ProofFacts {
  const proof = known(readTlogProof(text));
  const { record, salt, rootProof } = JSON.parse(known(proof.extra).toString()) as Extra;
  const commitment = commitmentOf(Buffer.from(salt, 'base64'), record);
  return {
    ...{ record, salt },
    commitment: commitment.toString('base64'),
    leaf: leafHash(commitment).toString('base64'),
    tree: placeOf(proof),
    rootLog: rootProof === null ? null : placeOf(known(readTlogProof(rootProof))),
  };
}

function placeOf({ index, checkpoint: note }: TlogProof): PlaceFacts {
  const { origin, size, root } = known(readCheckpoint(note.slice(0, note.lastIndexOf('\n\n') + 1)));
  return { origin, index, size, root: root.toString('base64'), keys: signersOf(note) };
}

function known<T>(read: T | null): T {
  if (read === null) throw new Error('this is no proof that we have made');
  return read;
}
