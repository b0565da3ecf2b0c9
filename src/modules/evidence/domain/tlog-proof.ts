import { HASH_BYTES } from './tree-hash.js';

/** No tree is deeper, with at most 2^64 entries. */
const PATH_MAX = 64;
const HEADER = 'c2sp.org/tlog-proof@v1';

/** A proof that an entry is in a log, which can be verified offline (C2SP tlog-proof). */
export interface TlogProof {
  /** Extra data of the proof's creator. */
  extra: Buffer | null;
  index: number;
  /** From the leaf up to the root. */
  path: readonly Buffer[];
  /** The signed note. */
  checkpoint: string;
}

export function writeTlogProof({ extra, index, path, checkpoint }: TlogProof): string {
  const lines = [
    HEADER,
    ...(extra ? [`extra ${extra.toString('base64')}`] : []),
    `index ${index}`,
    ...path.map((hash) => hash.toString('base64')),
  ];
  return `${lines.join('\n')}\n\n${checkpoint}`;
}

/** Parses a proof without verifying it; null if the text is not a proof. */
export function readTlogProof(text: string): TlogProof | null {
  const split = text.indexOf('\n\n');
  if (split < 0) return null;
  const [header, ...lines] = text.slice(0, split).split('\n');
  if (header !== HEADER) return null;
  const extra = lines[0]?.startsWith('extra ') ? lines.shift()?.slice('extra '.length) : undefined;
  const [, index] = /^index (0|[1-9]\d{0,15})$/.exec(lines.shift() ?? '') ?? [];
  if (lines.length > PATH_MAX) return null;
  const path = lines.map((line) => Buffer.from(line, 'base64'));
  const isPath = path.every(
    (hash, at) => hash.length === HASH_BYTES && hash.toString('base64') === lines[at],
  );
  if (index === undefined || !isPath) return null;
  return {
    extra: extra === undefined ? null : Buffer.from(extra, 'base64'),
    index: Number(index),
    path,
    checkpoint: text.slice(split + 2),
  };
}
