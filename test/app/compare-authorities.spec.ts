import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import tls from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { hashPublicKey, REMOVED_AUTHORITIES } from '../../src/platform/network/trusted-roots.js';

const G1 = '376a1a7082a593dccc20d561d119e9ab8d30f11cc321d0a37fa41f0df284e01c';

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'consent-authorities-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** A list of Node's authorities without some. */
function list(name: string, without: (key: string) => boolean): string {
  const file = join(folder, name);
  const kept = tls.getCACertificates('bundled').filter((pem) => !without(hashPublicKey(pem) ?? ''));
  writeFileSync(file, kept.join('\n'));
  return file;
}

function compare(...args: string[]): { status: number | null; stdout: string; stderr: string } {
  const options = { encoding: 'utf8' } as const;
  return spawnSync(process.execPath, ['scripts/compare-authorities.mjs', ...args], options);
}

describe('the weekly comparison of certificate authorities', () => {
  it('names an authority that a newer list has removed, and fails', () => {
    const before = list('before.pem', () => false);
    const after = list('after.pem', (key) => key === G1);
    for (const { status, stdout } of [
      compare('--before', before, '--after', after),
      compare('--after', after),
    ]) {
      expect(status).toBe(1);
      expect(stdout).toContain('CN=emSign Root CA - G1');
      expect(stdout).toContain(`public key ${G1}`);
      expect(stdout).toContain('1 of Node');
    }
  });

  it('is silent about those that the service has removed, and about those that were never in the list', () => {
    const removed = new Set(REMOVED_AUTHORITIES.map(({ publicKeySha256 }) => publicKeySha256));
    const withoutRemoved = list('without-removed.pem', (key) => removed.has(key));
    expect(compare('--after', withoutRemoved)).toMatchObject({ status: 0 });
    const never = list('never.pem', (key) => key === G1);
    expect(compare('--before', never, '--after', never)).toMatchObject({ status: 0 });
  });

  it('fails where a list is missing or empty', () => {
    expect(compare()).toMatchObject({ status: 2, stderr: expect.stringContaining('Usage') });
    const empty = join(folder, 'empty.pem');
    writeFileSync(empty, '');
    expect(compare('--after', empty)).toMatchObject({ stderr: expect.stringContaining('no certificate') });
  });
});
