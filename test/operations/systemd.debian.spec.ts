import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

const UNIT = 'deploy/systemd/consent-service@.service';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'consent-systemd-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Messages of systemd about a copy of the unit, installed where this repository is. */
async function verify(unit: string): Promise<string> {
  const path = join(folder, 'consent-service@main.service');
  writeFileSync(path, unit.replaceAll('/opt/consent-service', process.cwd()));
  const { stderr } = await promisify(execFile)('systemd-analyze', ['verify', path]).catch(
    (error: { stderr: string }) => error,
  );
  return stderr;
}

describe('the systemd unit', () => {
  const unit = readFileSync(UNIT, 'utf8');

  it('is valid for systemd', async () => {
    expect(await verify(unit)).toBe('');
    expect(await verify(unit.replace('Restart=always', 'Restart=sometimes'))).toContain('restart specifier');
    expect(await verify(unit.replace('scripts/start.sh', 'scripts/none.sh'))).toContain(
      'scripts/none.sh is not executable',
    );
  });

  it('restarts the service for ever, and is described in the manual', () => {
    expect(unit).toMatch(/^Restart=always$/m);
    expect(unit).toMatch(/^StartLimitIntervalSec=0$/m);
    expect(readFileSync('docs/deploy.md', 'utf8')).toContain(UNIT);
  });
});
