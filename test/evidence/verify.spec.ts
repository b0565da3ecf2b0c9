import { hash, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { signerOf, verifierLine } from '../../src/evidence/domain/signed-note.js';
import { memoryLog, type MemoryLog } from '../support/memory-log.js';

interface Verifier {
  verifyProof(proof: string, keys: string): Promise<{ record: unknown; isInRootLog: boolean }>;
  verifyStamped(
    proof: string,
    stamped: string,
    hashes: string,
    keys: string,
  ): Promise<{ steps: { step: string; found: string }[] }>;
  canonical(value: unknown): string;
}

const { verifyProof, verifyStamped, canonical } = createRequire(import.meta.url)(
  '../../verify/verify.cjs',
) as Verifier;

const HOST = 'consent.example';
const key = signerOf(HOST, randomBytes(32));
const keys = `# since 2026-11-22\n${verifierLine(key)}\n`;
const RECORD = { action: 'accept_all', analytics: true, id: 'a-record', projectId: 'p', receivedAt: 'now' };

const logOf = (origin: string, entries: readonly Buffer[]): MemoryLog => memoryLog(origin, entries, key);

const entries = Array.from({ length: 300 }, () => randomBytes(32));
const salt = randomBytes(32);
const extraOf = (fields: object): Buffer => Buffer.from(JSON.stringify(fields));
let proof: string;
/** The root log as it was when it was stamped, and one of another history. */
let stamped: MemoryLog;
let forked: MemoryLog;
const ROOT_SIZE = 3;

beforeAll(async () => {
  entries[257] = hash('sha256', Buffer.concat([salt, Buffer.from(canonical(RECORD))]), 'buffer');
  const project = logOf(`${HOST}/p`, entries);
  const sealed = hash('sha256', project.checkpoint, 'buffer');
  const rootEntries = [randomBytes(32), sealed, randomBytes(32)];
  const root = logOf(`${HOST}/log`, rootEntries);
  const more = [randomBytes(32), randomBytes(32)];
  stamped = logOf(`${HOST}/log`, [...rootEntries, ...more]);
  forked = logOf(`${HOST}/log`, [sealed, ...rootEntries.slice(1), ...more]);
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
});

describe('the verifier of what is stamped', () => {
  const stampedBy = async (log: MemoryLog, text = proof): ReturnType<typeof verifyStamped> =>
    verifyStamped(text, log.checkpoint, await log.consistencyFrom(ROOT_SIZE), keys);

  it('leads from the proof to the stamped checkpoint', async () => {
    const { steps } = await stampedBy(stamped);
    expect(steps.map(({ step }) => step)).toEqual(['record', 'tree', 'root log', 'stamped']);
    expect(steps.at(-1)?.found).toBe('the 3 entries begin the 5 of the stamped checkpoint');
  });

  it('refuses a checkpoint of another history, or of another log', async () => {
    expect(await refusedAt(stampedBy(forked))).toBe('hashes');
    const other = logOf(`${HOST}/p`, entries);
    expect(await refusedAt(stampedBy(other))).toBe('origin');
    const unsigned = { ...stamped, checkpoint: stamped.checkpoint.replace('\n5\n', '\n6\n') };
    expect(await refusedAt(stampedBy(unsigned))).toBe('later checkpoint');
  });

  it('refuses a proof that does not hold, or that does not reach the root log', async () => {
    const { extra } = /^extra (?<extra>\S+)$/m.exec(proof)?.groups ?? {};
    const altered = proof.replace(extra ?? '', withField(extra ?? ''));
    expect(await refusedAt(stampedBy(stamped, altered))).toBe('tree: path');
    const project = logOf(`${HOST}/p`, entries);
    const alone = { record: RECORD, salt: salt.toString('base64'), rootProof: null };
    expect(await refusedAt(stampedBy(stamped, await project.proof(257, extraOf(alone))))).toBe('root log');
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
