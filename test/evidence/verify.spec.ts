import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { hash } from 'node:crypto';
import { checkpointText } from '../../src/evidence/domain/checkpoint.js';
import { signerOf, signNote, verifierLine } from '../../src/evidence/domain/signed-note.js';
import { tilePath } from '../../src/evidence/domain/tile.js';
import { type ReadTile, rootOfRange } from '../../src/evidence/domain/tile-reader.js';
import { writeTlogProof } from '../../src/evidence/domain/tlog-proof.js';
import { append, EMPTY_EDGE, rootOf } from '../../src/evidence/domain/tree-edge.js';
import { leafHash } from '../../src/evidence/domain/tree-hash.js';
import { consistencyRanges, inclusionRanges, type LeafRange } from '../../src/evidence/domain/tree-proof.js';

interface Verifier {
  verifyProof(proof: string, keys: string): Promise<{ record: unknown; isInRootLog: boolean }>;
  verifyConsistency(earlier: string, later: string, hashes: string, keys: string): Promise<unknown>;
  canonical(value: unknown): string;
}

const { verifyProof, verifyConsistency, canonical } = createRequire(import.meta.url)(
  '../../verify/verify.cjs',
) as Verifier;

const HOST = 'consent.example';
const key = signerOf(HOST, randomBytes(32));
const keys = `# since 2026-11-22\n${verifierLine(key)}\n`;
const RECORD = { action: 'accept_all', analytics: true, id: 'a-record', projectId: 'p', receivedAt: 'now' };

/** A log in memory. */
function logOf(origin: string, entries: readonly Buffer[]) {
  const { edge, tiles } = append(EMPTY_EDGE, entries.map(leafHash));
  const bytes = new Map(tiles.map((tile) => [tilePath(tile), tile.bytes]));
  const read: ReadTile = (tile) => Promise.resolve(bytes.get(tilePath(tile)) as Buffer);
  const path = (ranges: LeafRange[]): Promise<Buffer[]> =>
    Promise.all(ranges.map((range) => rootOfRange(range, edge.size, read)));
  const checkpoint = signNote(checkpointText({ origin, size: edge.size, root: rootOf(edge) }), [key]);
  return {
    checkpoint,
    path,
    proof: async (index: number, extra: Buffer | null) =>
      writeTlogProof({ extra, index, path: await path(inclusionRanges(index, edge.size)), checkpoint }),
  };
}

const entries = Array.from({ length: 300 }, () => randomBytes(32));
const salt = randomBytes(32);
const extraOf = (fields: object): Buffer => Buffer.from(JSON.stringify(fields));
let proof: string;

beforeAll(async () => {
  entries[257] = hash('sha256', Buffer.concat([salt, Buffer.from(canonical(RECORD))]), 'buffer');
  const project = logOf(`${HOST}/p`, entries);
  const sealed = hash('sha256', project.checkpoint, 'buffer');
  const root = logOf(`${HOST}/log`, [randomBytes(32), sealed, randomBytes(32)]);
  const rootProof = await root.proof(1, null);
  proof = await project.proof(257, extraOf({ record: RECORD, salt: salt.toString('base64'), rootProof }));
});

/** The step at which something was refused; undefined where it was not. */
const refusedAt = (checked: Promise<unknown>): Promise<string | undefined> =>
  checked.then(
    () => undefined,
    ({ step }: { step?: string }) => step,
  );

/** What a proof holds, with one field of the record changed. */
function withField(extra: string): string {
  const whole = JSON.parse(Buffer.from(extra, 'base64').toString()) as { record: object };
  return Buffer.from(JSON.stringify({ ...whole, record: { ...whole.record, analytics: false } })).toString(
    'base64',
  );
}

describe('the verifier', () => {
  it('accepts what the service makes, and says what it found', async () => {
    expect(await verifyProof(proof, keys)).toMatchObject({ record: RECORD, isInRootLog: true });
  });

  it('refuses the proof with any one bit altered', async () => {
    const whole = Buffer.from(proof);
    const accepted: number[] = [];
    for (let at = 0; at < whole.length; at++) {
      const altered = Buffer.from(whole);
      altered[at] = (altered[at] as number) ^ 1;
      await verifyProof(altered.toString(), keys).then(
        () => accepted.push(at),
        () => {},
      );
    }
    expect(accepted).toEqual([]);
  });

  it.each([
    [
      'another key',
      'tree: checkpoint',
      (text: string) => [text, `${verifierLine(signerOf(HOST, randomBytes(32)))}\n`],
    ],
    ['no key', 'keys', (text: string) => [text, '# none\n']],
    [
      'a key of another host',
      'tree: checkpoint',
      (text: string) => [text, `${verifierLine(signerOf('other.example', randomBytes(32)))}\n`],
    ],
    ['a leaf that was moved', 'tree: path', (text: string) => [text.replace('index 257', 'index 256'), keys]],
    [
      'a path that was shortened',
      'tree: path',
      (text: string) => [text.replace(/\n[^\n]{44}\n\n/, '\n\n'), keys],
    ],
    [
      'a record with another field',
      'tree: path',
      (text: string) => [
        text.replace(/^extra (\S+)$/m, (_line, extra: string) => `extra ${withField(extra)}`),
        keys,
      ],
    ],
  ] as const)('refuses %s, and says at which step', async (_what, step, change) => {
    const [text, trusted] = change(proof) as [string, string];
    expect(await refusedAt(verifyProof(text, trusted))).toBe(step);
  });

  it('tells a tree that has grown from one that was changed, shortened or forked', async () => {
    const at = (count: number, changed?: number): ReturnType<typeof logOf> =>
      logOf(
        `${HOST}/p`,
        entries.slice(0, count).map((entry, index) => (index === changed ? randomBytes(32) : entry)),
      );
    const hashes = async (log: ReturnType<typeof logOf>, from: number, to: number): Promise<string> =>
      (await log.path(consistencyRanges(from, to))).map((each) => each.toString('base64')).join('\n');
    const [earlier, later] = [at(100), at(300)];
    await verifyConsistency(earlier.checkpoint, later.checkpoint, await hashes(later, 100, 300), keys);
    const forged = at(300, 50);
    for (const [first, second, path] of [
      [earlier, forged, await hashes(forged, 100, 300)],
      [at(100, 7), later, await hashes(later, 100, 300)],
      [later, earlier, ''],
      [earlier, at(100, 3), ''],
    ] as const)
      expect(await refusedAt(verifyConsistency(first.checkpoint, second.checkpoint, path, keys))).toBe(
        'hashes',
      );
  });
});

describe('canonical JSON', () => {
  const vector = (name: string): string =>
    readFileSync(join(import.meta.dirname, '..', 'vectors', 'jcs', name), 'utf8');

  // The published examples of RFC 8785.
  it.each(['arrays', 'french', 'structures', 'unicode', 'values', 'weird'])('is as published: %s', (name) => {
    expect(canonical(JSON.parse(vector(`${name}.input.json`)))).toBe(vector(`${name}.output.json`).trim());
  });

  it('refuses what is no Unicode', () => {
    expect(() => canonical({ text: '\ud800' })).toThrow('no Unicode');
  });
});
