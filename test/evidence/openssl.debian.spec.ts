import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

const FOLDER = join(import.meta.dirname, '..', 'vectors', 'evidence');
const read = (name: string): string => readFileSync(join(FOLDER, name), 'utf8');
/** The SPKI prefix of an Ed25519 key (RFC 8410). */
const SPKI_PREFIX = Buffer.from('302a300506032b6570032100', 'hex');
/** In front of key and signature: the kind of key, and the number of the key. */
const [KIND_BYTES, KEY_ID_BYTES] = [1, 4];

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'consent-openssl-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const file = (name: string, bytes: string | Buffer): string => {
  writeFileSync(join(folder, name), bytes);
  return join(folder, name);
};

describe('a signed checkpoint', () => {
  it('is accepted by OpenSSL, and refused with one more byte', () => {
    const [text = '', signatures = ''] = read('later.txt').split('\n\n');
    const [, signature = ''] = /^— \S+ (\S+)$/m.exec(signatures) ?? [];
    const [, , ...encoded] = (read('keys.txt').trim().split('\n')[1] ?? '').split('+');
    const key = Buffer.from(encoded.join('+'), 'base64').subarray(KIND_BYTES);
    const files = {
      key: file('key.der', Buffer.concat([SPKI_PREFIX, key])),
      signature: file('signature', Buffer.from(signature, 'base64').subarray(KEY_ID_BYTES)),
    };
    const verify = (note: string): string =>
      execFileSync(
        'openssl',
        [
          'pkeyutl',
          '-verify',
          '-pubin',
          '-inkey',
          files.key,
          '-keyform',
          'DER',
          '-rawin',
          '-in',
          file('note', note),
          '-sigfile',
          files.signature,
        ],
        { encoding: 'utf8', stdio: 'pipe' },
      );
    expect(verify(`${text}\n`)).toContain('Signature Verified Successfully');
    expect(() => verify(`${text} \n`)).toThrow('Command failed');
  });
});
