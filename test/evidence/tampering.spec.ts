import { hash, randomBytes } from 'node:crypto';
import { createRequire } from 'node:module';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { canonicalJson, computeCommitment } from '../../src/modules/evidence/domain/commitment.js';
import { createSigner, verifierLine } from '../../src/modules/evidence/domain/signed-note.js';
import type { RefusedStep } from '../../verify/verify.cjs';
import { memoryLog, type MemoryLog } from '../support/database/memory-log.js';

type Verifier = typeof import('../../verify/verify.cjs');
const { verifyProof, verifyConsistency } = createRequire(import.meta.url)(
  '../../verify/verify.cjs',
) as Verifier;

const HOST = 'consent.example';
const INDEX = 257;
const EARLIER = 280;
const key = createSigner(HOST, randomBytes(32));
const keys = `${verifierLine(key)}\n`;
const salt = randomBytes(32);
const RECORD = {
  schemaVersion: 1,
  id: 'a-record',
  projectId: 'p',
  analytics: true,
  marketing: false,
  preferences: true,
  action: 'custom',
  hostname: 'www.example.com',
  receivedAt: '2026-11-20T10:00:00.000Z',
  configHash: 'c'.repeat(64),
  language: 'en',
  surface: 'banner',
  policyVersion: { nested: ['2026-11'] },
};
const entries = Array.from({ length: 300 }, (_none, at) =>
  at === INDEX ? computeCommitment(salt, RECORD) : randomBytes(32),
);
const logOf = (leaves: readonly Buffer[]): MemoryLog => memoryLog(`${HOST}/p`, leaves, key);
const project = logOf(entries);
let proof: string;
let rootProof: string;

beforeAll(async () => {
  const sealed = hash('sha256', project.checkpoint, 'buffer');
  const root = memoryLog(`${HOST}/log`, [randomBytes(32), sealed, randomBytes(32)], key);
  rootProof = await root.proof(1, null);
  proof = await project.proof(INDEX, extraOf(RECORD, rootProof));
});

const extraOf = (record: object, inRoot: string): Buffer =>
  Buffer.from(canonicalJson({ record, salt: salt.toString('base64'), rootProof: inRoot }));
/** The step at which something was refused; undefined: it was accepted. */
const refusedAt = (checked: Promise<unknown>): Promise<string | undefined> =>
  checked.then(
    () => undefined,
    ({ step }: { step?: string }) => step,
  );
/** The same base64 text with another first letter. */
const other = (base64: string): string => (base64.startsWith('A') ? 'B' : 'A') + base64.slice(1);
const withExtra = (extra: Buffer): string =>
  proof.replace(/^extra .*$/m, () => `extra ${extra.toString('base64')}`);
const hashLines = (text: string): string[] =>
  text
    .split('\n\n')[0]
    ?.split('\n')
    .filter((line) => line.length === 44) ?? [];

/** A reader with a proof, the key and the script. */
describe('somebody alters a proof', () => {
  it('that nobody has altered is accepted', async () => {
    expect(await refusedAt(verifyProof(proof, keys))).toBeUndefined();
  });

  it.each(Object.keys(RECORD))('the record’s field %s', async (name) => {
    const value = RECORD[name as keyof typeof RECORD];
    const changed = typeof value === 'boolean' ? !value : `${JSON.stringify(value)}x`;
    const text = withExtra(extraOf({ ...RECORD, [name]: changed }, rootProof));
    expect(await refusedAt(verifyProof(text, keys))).toBe('tree: path');
    const { [name as 'id']: _, ...less } = RECORD;
    // Without an id it is no record at all.
    expect(await refusedAt(verifyProof(withExtra(extraOf(less, rootProof)), keys))).toBe(
      name === 'id' ? 'file' : 'tree: path',
    );
  });

  it('a field that was not there, or the salt', async () => {
    expect(
      await refusedAt(verifyProof(withExtra(extraOf({ ...RECORD, consent: true }, rootProof)), keys)),
    ).toBe('tree: path');
    const text = withExtra(
      Buffer.from(
        extraOf(RECORD, rootProof)
          .toString()
          .replace(salt.toString('base64'), randomBytes(32).toString('base64')),
      ),
    );
    expect(await refusedAt(verifyProof(text, keys))).toBe('tree: path');
  });

  it('each node of the path, its order, and the place', async () => {
    const nodes = hashLines(proof);
    expect(nodes.length).toBeGreaterThan(5);
    for (const node of nodes)
      expect(await refusedAt(verifyProof(proof.replace(node, other(node)), keys))).toBe('tree: path');
    for (const node of nodes)
      expect(await refusedAt(verifyProof(proof.replace(`${node}\n`, ''), keys))).toBe('tree: path');
    const [first = '', second = ''] = nodes;
    expect(
      await refusedAt(verifyProof(proof.replace(`${first}\n${second}`, `${second}\n${first}`), keys)),
    ).toBe('tree: path');
    expect(await refusedAt(verifyProof(proof.replace(`index ${INDEX}`, `index ${INDEX - 1}`), keys))).toBe(
      'tree: path',
    );
    expect(await refusedAt(verifyProof(proof.replace(`index ${INDEX}`, 'index 300'), keys))).toBe(
      'tree: path',
    );
  });

  it('each line of the checkpoint, and its signature', async () => {
    const [, text = '', signature = ''] = proof.split('\n\n');
    for (const line of [...text.split('\n'), /(\S+)$/.exec(signature.trim())?.[1] ?? '']) {
      const changed = line.length > 40 ? other(line) : `${line}0`;
      expect(await refusedAt(verifyProof(proof.replace(`${line}\n`, `${changed}\n`), keys))).toBe(
        'tree: checkpoint',
      );
    }
  });

  it('each node and the checkpoint of the proof in the log of all', async () => {
    for (const node of hashLines(rootProof)) {
      const text = withExtra(extraOf(RECORD, rootProof.replace(node, other(node))));
      expect(await refusedAt(verifyProof(text, keys))).toBe('root log: path');
    }
    const text = withExtra(extraOf(RECORD, rootProof.replace(`${HOST}/log\n3\n`, `${HOST}/log\n4\n`)));
    expect(await refusedAt(verifyProof(text, keys))).toBe('root log: checkpoint');
  });

  it('refuses at each step that is declared, for which the dashboard has words', async () => {
    const stranger = verifierLine(createSigner('another.example', randomBytes(32)));
    const refusals: Record<RefusedStep, [proof: string, keys: string][]> = {
      keys: [
        [proof, ''],
        [proof, 'no key'],
        [proof, keys.replace(/\+[0-9a-f]{8}\+/, '+00000000+')],
      ],
      file: [
        ['', keys],
        [proof.replace(/^index .*\n/m, ''), keys],
        [proof.replace(/^extra .*\n/m, ''), keys],
        [withExtra(Buffer.from('{}')), keys],
      ],
      record: [[withExtra(Buffer.from(canonicalJson({ record: RECORD, salt: 'AAAA', rootProof }))), keys]],
      scan: [
        [withExtra(Buffer.from(canonicalJson({ scan: { id: 'a-scan' }, salt: 'AAAA', rootProof }))), keys],
      ],
      'tree: checkpoint': [[proof, stranger]],
      'tree: path': [[proof.replace(`index ${INDEX}`, 'index 0'), keys]],
      'root log': [[withExtra(extraOf(RECORD, '')), keys]],
      'root log: checkpoint': [
        [withExtra(extraOf(RECORD, rootProof.replace(/— .*$/m, '— nobody AAAA'))), keys],
      ],
      'root log: path': [[withExtra(extraOf(RECORD, rootProof.replace('index 1', 'index 0'))), keys]],
    };
    for (const [step, cases] of Object.entries(refusals))
      for (const [given, by] of cases)
        expect([step, await refusedAt(verifyProof(given, by))]).toEqual([step, step]);
  });
});

/** A reader who also holds an earlier checkpoint, as each receiver does. All of this is signed by the real key. */
describe('we rewrite the log, with our own key', () => {
  const earlier = logOf(entries.slice(0, EARLIER));
  const swapped = (at: number): Buffer[] =>
    entries.with(at, entries[at + 1] as Buffer).with(at + 1, entries[at] as Buffer);

  it('that nobody has rewritten is accepted', async () => {
    const hashes = await project.consistencyFrom(EARLIER);
    expect(
      await refusedAt(verifyConsistency(earlier.checkpoint, project.checkpoint, hashes, keys)),
    ).toBeUndefined();
  });

  it.each([
    ['an entry is changed', entries.with(50, randomBytes(32))],
    ['the last entry that was sealed is changed', entries.with(EARLIER - 1, randomBytes(32))],
    ['an entry is dropped', entries.toSpliced(50, 1)],
    ['an entry is added between others', entries.toSpliced(50, 0, randomBytes(32))],
    ['two entries change places', swapped(100)],
  ])('%s', async (_what, leaves) => {
    const later = logOf(leaves);
    // The hashes of the rewritten log, and of the true one.
    for (const hashes of [await later.consistencyFrom(EARLIER), await project.consistencyFrom(EARLIER)])
      expect(await refusedAt(verifyConsistency(earlier.checkpoint, later.checkpoint, hashes, keys))).toBe(
        'hashes',
      );
  });

  it('it is shortened, or two of one size are told to two people', async () => {
    const shorter = logOf(entries.slice(0, 200));
    const hashes = await earlier.consistencyFrom(200);
    expect(await refusedAt(verifyConsistency(earlier.checkpoint, shorter.checkpoint, hashes, keys))).toBe(
      'hashes',
    );
    const fork = logOf(entries.slice(0, EARLIER).with(7, randomBytes(32)));
    expect(await refusedAt(verifyConsistency(earlier.checkpoint, fork.checkpoint, '', keys))).toBe('hashes');
  });

  it('it is given another name, or signed by another key', async () => {
    const hashes = await project.consistencyFrom(EARLIER);
    const renamed = memoryLog(`${HOST}/q`, entries, key);
    expect(await refusedAt(verifyConsistency(earlier.checkpoint, renamed.checkpoint, hashes, keys))).toBe(
      'origin',
    );
    const signed = memoryLog(`${HOST}/p`, entries, createSigner(HOST, randomBytes(32)));
    expect(await refusedAt(verifyConsistency(earlier.checkpoint, signed.checkpoint, hashes, keys))).toBe(
      'later checkpoint',
    );
  });
});
