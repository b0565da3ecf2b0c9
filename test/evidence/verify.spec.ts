import { hash, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { createContext, runInContext } from 'node:vm';
import { beforeAll, describe, expect, it } from '@jest/globals';
import {
  canonicalJson,
  computeCommitment,
  erasureBody,
} from '../../src/modules/evidence/domain/commitment.js';
import { createSigner, signNote, verifierLine } from '../../src/modules/evidence/domain/signed-note.js';
import type { VerifiedProof } from '../../verify/verify.cjs';
import { startClock } from '../support/elapsed.js';
import { memoryLog, type MemoryLog } from '../support/database/memory-log.js';

type Verifier = typeof import('../../verify/verify.cjs');

const SCRIPT = join(import.meta.dirname, '..', '..', 'verify', 'verify.cjs');
const { verifyProof, verifyConsistency, verifyStamped, canonical } = createRequire(import.meta.url)(
  SCRIPT,
) as Verifier;

const HOST = 'consent.example';
const key = createSigner(HOST, randomBytes(32));
const keys = `# since 2026-11-22\n${verifierLine(key)}\n`;
const RECORD = {
  action: 'accept_all',
  analytics: true,
  big: 9007199254740992,
  id: 'a-record',
  projectId: 'p',
  receivedAt: '2026-11-20T23:59:59.999Z',
};

const logOf = (origin: string, entries: readonly Buffer[]): MemoryLog => memoryLog(origin, entries, key);

const entries: Buffer[] = Array.from({ length: 300 }, () => randomBytes(32));
const salt = randomBytes(32);
const extraOf = (fields: object): Buffer => Buffer.from(canonicalJson(fields));
let proof: string;
/** The root log at the time of its timestamp, and one of another history. */
let stamped: MemoryLog;
let forked: MemoryLog;
const ROOT_SIZE = 3;

beforeAll(async () => {
  entries[257] = computeCommitment(salt, RECORD);
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

/** The step at which something was refused; undefined: it was accepted. */
const refusedAt = (checked: Promise<unknown>): Promise<string | undefined> =>
  checked.then(
    () => undefined,
    ({ step }: { step?: string }) => step,
  );

/** The content of a proof, with one field of the record changed. */
function withField(extra: string): string {
  const whole = JSON.parse(Buffer.from(extra, 'base64').toString()) as { record: object };
  return extraOf({ ...whole, record: { ...whole.record, analytics: false } }).toString('base64');
}

/** The proof with its extra data spelled in another way. */
function respelled(change: (extra: string) => string | Buffer): string {
  return proof.replace(/^extra (\S+)$/m, (_line, encoded: string) => {
    const extra = change(Buffer.from(encoded, 'base64').toString());
    return `extra ${Buffer.from(extra).toString('base64')}`;
  });
}

/** A proof of one record in a log of two entries, in no root log. */
function proofIn(origin: string, record: object, signer = key): Promise<string> {
  const log = memoryLog(origin, [randomBytes(32), computeCommitment(salt, record)], signer);
  return log.proof(1, extraOf({ record, salt: salt.toString('base64'), rootProof: null }));
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
      (text: string) => [text, `${verifierLine(createSigner(HOST, randomBytes(32)))}\n`],
    ],
    ['no key', 'keys', (text: string) => [text, '# none\n']],
    [
      'a key of another host',
      'tree: checkpoint',
      (text: string) => [text, `${verifierLine(createSigner('other.example', randomBytes(32)))}\n`],
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

describe('the verifier of what a proof holds', () => {
  const member = (name: string, value: string) => (extra: string) =>
    extra.replace(`"${name}":`, () => `"${name}":${value},"${name}":`);
  const swapped = (extra: string): string => {
    const { record, salt: own, rootProof } = JSON.parse(extra) as Record<string, unknown>;
    return JSON.stringify({ salt: own, record, rootProof });
  };

  it.each([
    ['a member of the record twice', member('analytics', 'false')],
    ['another record ahead of the sealed one', member('record', '{"id":"another"}')],
    ['another salt ahead of the right one', member('salt', '""')],
    ['a space', (extra) => extra.replace(':', ': ')],
    ['a line feed at the end', (extra) => `${extra}\n`],
    ['a byte order mark', (extra) => `\ufeff${extra}`],
    ['digits that no number keeps', (extra) => extra.replace('9007199254740992', '9007199254740993')],
    ['a number as a fraction', (extra) => extra.replace('9007199254740992', '9007199254740992.0')],
    ['a letter as an escape', (extra) => extra.replace('accept_all', String.raw`\u0061ccept_all`)],
    ['members in another order', swapped],
    ['a member more', (extra) => extra.replace('{"record"', '{"more":1,"record"')],
    [
      'bytes that are not UTF-8',
      (extra) => Buffer.from(extra.replace('accept_all', 'accept\xffall'), 'latin1'),
    ],
  ] as [string, (extra: string) => string | Buffer][])('refuses %s', async (_what, change) => {
    const text = respelled(change);
    expect(text).not.toBe(proof);
    expect(await refusedAt(verifyProof(text, keys))).toBe('file');
  });

  it('refuses a file that begins with a byte order mark, or is not UTF-8', async () => {
    const bytes = Buffer.from(proof);
    expect(await refusedAt(verifyProof(bytes, Buffer.from(keys)))).toBeUndefined();
    expect(await refusedAt(verifyProof(Buffer.concat([Buffer.from('\ufeff'), bytes]), keys))).toBe('file');
    expect(await refusedAt(verifyProof(Buffer.concat([bytes, Buffer.of(0xff)]), keys))).toBe('file');
  });

  it('refuses an index beyond what a number holds, and more than 64 hashes at once', async () => {
    const large = proof.replace('index 257', 'index 9007199254740993');
    expect(await refusedAt(verifyProof(large, keys))).toBe('file');
    const [hash = ''] = /^[A-Za-z0-9+/]{43}=$/m.exec(proof) ?? [];
    const longer = (count: number): string => proof.replace(hash, () => Array(count).fill(hash).join('\n'));
    const refusal = (count: number): Promise<unknown> =>
      verifyProof(longer(count), keys).catch(({ step, message }: { step: string; message: string }) => ({
        step,
        message,
      }));
    expect(await refusal(2)).toMatchObject({ step: 'tree: path', message: /does not lead/ });
    expect(await refusal(70)).toEqual({ step: 'tree: path', message: 'the path has more than 64 hashes' });
    const elapsedMs = startClock();
    expect(await refusal(300_000)).toEqual(await refusal(70));
    expect(elapsedMs()).toBeLessThan(20_000);
    const hashes = `${hash}\n`.repeat(65);
    const more = await verifyConsistency(stamped.checkpoint, stamped.checkpoint, hashes, keys).catch(
      (error: Error) => error.message,
    );
    expect(more).toBe('these are more than 64 hashes');
  });

  it('refuses a record in the log of another project, and a root log that is not one', async () => {
    const record = { ...RECORD, projectId: 'q' };
    expect(await refusedAt(verifyProof(await proofIn(`${HOST}/q`, record), keys))).toBeUndefined();
    // The log that continues another one, after a restore.
    expect(await refusedAt(verifyProof(await proofIn(`${HOST}/q/2`, record), keys))).toBeUndefined();
    for (const origin of [`${HOST}/p`, `${HOST}/p/q`, `${HOST}/q/x`, `${HOST}/q/2/2`, `${HOST}/log`])
      expect([origin, await refusedAt(verifyProof(await proofIn(origin, record), keys))]).toEqual([
        origin,
        'record',
      ]);
    const { projectId: _, ...nobodys } = record;
    for (const foreign of [nobodys, { ...record, projectId: 'log' }])
      expect(await refusedAt(verifyProof(await proofIn(`${HOST}/log`, foreign), keys))).toBe('record');
    const erasure = erasureBody('a-record', new Date());
    expect(await refusedAt(verifyProof(await proofIn(`${HOST}/q`, erasure), keys))).toBeUndefined();
    const project = logOf(`${HOST}/p`, entries);
    const other = logOf(`${HOST}/q`, [hash('sha256', project.checkpoint, 'buffer')]);
    const extra = { record: RECORD, salt: salt.toString('base64'), rootProof: await other.proof(0, null) };
    expect(await refusedAt(verifyProof(await project.proof(257, extraOf(extra)), keys))).toBe('root log');
  });
});

describe('the verifier of signatures and keys', () => {
  const other = createSigner('witness.example', randomBytes(32));
  const line = (signer: typeof key, text: string): string => signNote(text, [signer]).slice(text.length + 1);
  /** The proof of a lone record, without signatures. */
  let unsigned: string;
  let right: string;
  let wrong: string;
  beforeAll(async () => {
    const text = await proofIn(`${HOST}/p`, RECORD);
    unsigned = text.slice(0, text.lastIndexOf('\n\n') + 2);
    const [, note = ''] = unsigned.split('\n\n');
    right = line(key, `${note}\n`);
    wrong = line(key, 'another text\n');
  });
  const signedBy = (...lines: string[]): string => unsigned + lines.join('');
  const known = `${keys}${verifierLine(other)}\n`;

  it('reads each signature of a note', async () => {
    const stranger = line(other, 'another text\n');
    expect(await refusedAt(verifyProof(signedBy(right, stranger), keys))).toBeUndefined();
    for (const lines of [
      [right, wrong],
      [wrong, right],
      // Known as well, although of no log here.
      [right, stranger],
      [right, '\n'],
      [right, 'no signature\n'],
      [right, '— witness.example AAAA\n'],
      [right, '— witness.example AAAAAAA\n'],
      [right, '— witness+example AAAAAAAA\n'],
      Array<string>(101).fill(right),
      [],
    ])
      expect([lines, await refusedAt(verifyProof(signedBy(...lines), known))]).toEqual([
        lines,
        'tree: checkpoint',
      ]);
  });

  it('ignores keys of an unknown kind, and refuses a file that has no other', async () => {
    const unknown = `${HOST}+0badc0de+${Buffer.concat([Buffer.of(6), randomBytes(1312)]).toString('base64')}\n`;
    expect(await refusedAt(verifyProof(proof, `${unknown}${keys}`))).toBeUndefined();
    expect(await refusedAt(verifyProof(proof, unknown))).toBe('keys');
    const short = `${HOST}+0badc0de+${Buffer.concat([Buffer.of(1), randomBytes(31)]).toString('base64')}\n`;
    expect(await refusedAt(verifyProof(proof, `${short}${keys}`))).toBe('keys');
  });

  it('refuses a key that ended before the record was received, and says so where that is not known', async () => {
    const endedOn = (day: string): string =>
      keys.replace('# since 2026-11-22', `# signs since 2026-01-01, until ${day}`);
    expect(await refusedAt(verifyProof(proof, endedOn('2026-11-19')))).toBe('tree: checkpoint');
    const onTheLine = keys.replace(/\n$/, ' # until 2026-11-19\n');
    expect(await refusedAt(verifyProof(proof, onTheLine))).toBe('tree: checkpoint');
    // The last day is whole: the record came in its last millisecond.
    const { notes } = await verifyProof(proof, endedOn('2026-11-20'));
    expect(notes).toEqual([
      expect.stringContaining(`the key that signed ${HOST}/p ended on 2026-11-20`),
      expect.stringContaining(`the key that signed ${HOST}/log ended on 2026-11-20`),
    ]);
    expect((await verifyProof(proof, keys)).notes).toEqual([]);
    // An end belongs to one key.
    const both = `${endedOn('2026-11-19').replace(keys.trim().split('\n')[1] ?? '', verifierLine(other))}${keys}`;
    expect((await verifyProof(proof, both)).notes).toEqual([]);
    expect(await refusedAt(verifyProof(proof, endedOn('2026-13-19')))).toBe('keys');
    const { notes: alone } = await verifyConsistency(
      stamped.checkpoint,
      stamped.checkpoint,
      '',
      endedOn('2026-11-19'),
    );
    expect(alone).toEqual([expect.stringContaining('rests on the key alone')]);
  });
});

describe('where Ed25519 is missing', () => {
  /** The script as a page has it, with these Web Crypto functions. */
  function inPage(crypto: object | undefined): Verifier {
    const page = { crypto, TextEncoder, TextDecoder, Uint8Array, atob, btoa, window: {} };
    runInContext(readFileSync(SCRIPT, 'utf8'), createContext(page));
    return (page as unknown as { consentVerify: Verifier }).consentVerify;
  }
  const { subtle } = globalThis.crypto;
  const digest = subtle.digest.bind(subtle);
  const unsupported = () => Promise.reject(new DOMException('Unrecognized name.', 'NotSupportedError'));

  it.each([
    ['is not known', { subtle: { digest, importKey: unsupported, verify: unsupported } }],
    [
      'is always false',
      { subtle: { digest, importKey: () => Promise.resolve({}), verify: () => Promise.resolve(false) } },
    ],
    ['is not there without https', {}],
    ['is not there at all', undefined],
  ])('says that it cannot check, where it %s', async (_what, crypto) => {
    const page = inPage(crypto);
    const error = await page.verifyProof(proof, keys).catch((caught: Error) => caught);
    expect(error).toBeInstanceOf(page.CannotCheck);
    expect((error as Error).message).toMatch(/^this browser cannot check Ed25519 signatures here/);
    expect(page.inWords(error)).toMatch(/^CANNOT CHECK this browser/);
  });

  it('checks as everywhere else, where it is there', async () => {
    const { verifyProof: verifyHere } = inPage(globalThis.crypto);
    expect(((await verifyHere(proof, keys)) as VerifiedProof).isInRootLog).toBe(true);
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
