import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { canonicalOf, commitmentOf } from '../../src/evidence/domain/commitment.js';
import { signerOf, verifierLine } from '../../src/evidence/domain/signed-note.js';
import { memoryLog, type MemoryLog } from '../support/memory-log.js';

const FOLDER = join(import.meta.dirname, '..', 'vectors', 'evidence');
const VERIFIER = join(import.meta.dirname, '..', '..', 'verify', 'verify.cjs');
const HOST = 'consent.example.com';
const PROJECT = '01938c5e-7a3b-7c11-9f00-2b5e8d3c4a1f';
const SIZE = 300;
const EARLIER_SIZE = 257;
const INDEX = 258;

/** Bytes that are the same each time, from a name. */
const made = (name: string): Buffer => createHash('sha256').update(`a vector of evidence: ${name}`).digest();

const RECORD = {
  schemaVersion: 1,
  id: '01938c5e-7a3b-7c11-9f00-2b5e8d3c4a20',
  projectId: PROJECT,
  analytics: true,
  marketing: false,
  preferences: true,
  action: 'custom',
  hostname: 'www.example.com',
  receivedAt: '2026-11-20T10:00:00.000Z',
  configHash: 'a'.repeat(64),
  language: 'fr-CA',
  surface: 'banner',
  note: 'a "quoted" \u20ac, a tab\t, and 1e21',
  numbers: [1e21, 0.002, -0, 10],
};

/** What the files hold: everything that another implementation needs to try itself on. */
async function vectors(): Promise<Record<string, string>> {
  const key = signerOf(HOST, made('key'));
  const salt = made('salt');
  const entries = Array.from({ length: SIZE }, (_none, at) => made(`entry ${at}`));
  entries[INDEX] = commitmentOf(salt, RECORD);
  const logOf = (origin: string, leaves: readonly Buffer[]): MemoryLog => memoryLog(origin, leaves, key);
  const project = logOf(`${HOST}/${PROJECT}`, entries);
  const earlier = logOf(`${HOST}/${PROJECT}`, entries.slice(0, EARLIER_SIZE));
  const sealed = createHash('sha256').update(project.checkpoint).digest();
  const root = logOf(`${HOST}/log`, [made('another checkpoint'), sealed]);
  const rootProof = await root.proof(1, null);
  const extra = { record: RECORD, salt: salt.toString('base64'), rootProof };
  return {
    'keys.txt': `# The seed is SHA-256 of "a vector of evidence: key".\n${verifierLine(key)}\n`,
    'record.json': `${JSON.stringify(RECORD, null, 2)}\n`,
    'commitment.txt': `${entries[INDEX]?.toString('base64')}\n`,
    'record.tlog-proof': await project.proof(INDEX, Buffer.from(canonicalOf(extra))),
    'earlier.txt': earlier.checkpoint,
    'later.txt': project.checkpoint,
    'hashes.txt': await project.consistencyFrom(EARLIER_SIZE),
  };
}

let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'consent-vectors-'));
  // Written anew by `UPDATE_VECTORS=1 npm test -- test/evidence/vectors`.
  if (process.env['UPDATE_VECTORS'] !== '1') return;
  mkdirSync(FOLDER, { recursive: true });
  for (const [name, text] of Object.entries(await vectors())) writeFileSync(join(FOLDER, name), text);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const read = (name: string): string => readFileSync(join(FOLDER, name), 'utf8');

/** What the script says of files, and its exit code. */
function verify(...args: string[]): { code: number; text: string } {
  try {
    return {
      code: 0,
      text: execFileSync(process.execPath, [VERIFIER, ...args], { encoding: 'utf8', stdio: 'pipe' }),
    };
  } catch (error) {
    const { status, stderr } = error as { status: number; stderr: string };
    return { code: status, text: stderr };
  }
}
const at = (name: string): string => join(FOLDER, name);
const altered = (name: string, text: string): string => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};

describe('the vectors for other implementations', () => {
  it('are what this one makes', async () => {
    for (const [name, text] of Object.entries(await vectors()))
      expect({ name, text: read(name) }).toEqual({ name, text });
  });

  it('are accepted by the script, as one runs it', () => {
    const proof = verify('proof', at('record.tlog-proof'), at('keys.txt'));
    expect(proof.code).toBe(0);
    expect(proof.text).toContain(
      `ok    record: record ${RECORD.id} with the commitment ${read('commitment.txt').trim()}`,
    );
    expect(proof.text).toContain(`ok    root log: entry 1 of the 2 in ${HOST}/log`);
    const files = [at('earlier.txt'), at('later.txt'), at('hashes.txt'), at('keys.txt')];
    expect(verify('consistency', ...files)).toEqual({
      code: 0,
      text: `ok    ${HOST}/${PROJECT}: the 257 entries begin the 300\n`,
    });
  });

  it('are refused by it where something is altered, with the step', () => {
    const text = read('record.tlog-proof').replace('index 258', 'index 257');
    expect(verify('proof', altered('proof', text), at('keys.txt'))).toEqual({
      code: 1,
      text: expect.stringMatching(/^WRONG tree: path: /),
    });
    const files = [at('later.txt'), at('earlier.txt'), at('hashes.txt'), at('keys.txt')];
    expect(verify('consistency', ...files)).toMatchObject({
      code: 1,
      text: expect.stringMatching(/^WRONG hashes: /),
    });
    expect(verify('proof', at('keys.txt'))).toMatchObject({
      code: 2,
      text: expect.stringContaining('Usage: node verify.cjs'),
    });
  });
});
