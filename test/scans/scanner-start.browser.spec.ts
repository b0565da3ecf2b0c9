import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Json } from '../support/people/json.js';
import { type LoneService, startLoneService } from '../support/programs/processes.js';
import { until } from '../support/until.js';

/** A launch that is given up takes a minute. */
const SCAN_DEADLINE_MS = 280_000;

/** Prints its version late, never opens, and has a process in another session that writes into the profile. */
const CHROMIUM = `#!/bin/sh
if [ "$1" = --version ]; then sleep 10; echo 'Chromium 141.0.0.0'; exit; fi
for argument; do case "$argument" in --user-data-dir=*) profile="\${argument#*=}";; esac; done
setsid sh -c 'while :; do n=$(((n + 1) % 100)); mkdir -p "$1" && : > "$1/$n" || sleep 1; done' writer "$profile" 2> /dev/null &
exec sleep 600
`;

const PROFILE = 'consent-scan-';

let folder: string;
let service: LoneService;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'scanner-start-'));
  const chromium = join(folder, 'chromium');
  writeFileSync(chromium, CHROMIUM);
  for (const each of [folder, chromium]) chmodSync(each, 0o755);
  service = await startLoneService({
    SCANNER_CHROMIUM: chromium,
    // A launch takes as long until it is given up.
    SCANNER_STATE_MINUTES: '1',
    TMPDIR: folder,
  });
});
afterAll(async () => {
  await service?.stop();
  for (const pid of profileUsers()) process.kill(Number(pid), 'SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

/** Processes with a profile on their command line. */
function profileUsers(): string[] {
  return readdirSync('/proc').filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(join(folder, PROFILE));
    } catch {
      return false;
    }
  });
}

async function call(method: string, path: string, body?: unknown): Promise<Json> {
  const { projectId, apiKeys } = JSON.parse(
    readFileSync(join(service.dataDir, 'dev-credentials.json'), 'utf8'),
  ) as { projectId: string; apiKeys: { owner: string } };
  const response = await fetch(`${service.baseUrl}/v1/projects/${projectId}${path}`, {
    method,
    headers: { authorization: `Bearer ${apiKeys.owner}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return (await response.json()) as Json;
}

it('takes a scan while the scanner starts, which fails if the browser does not', async () => {
  const requested = await call('POST', '/scans', {});
  expect(requested).toMatchObject({ status: 'queued' });
  const scan = await until(
    'the scan has ended',
    async () => {
      const read = await call('GET', `/scans/${String(requested['id'])}`);
      return read['endedAt'] === null ? null : read;
    },
    SCAN_DEADLINE_MS,
  );
  expect(scan).toMatchObject({ status: 'failed', reason: { code: 'browser_failed' } });
  expect((scan['pageList'] as Json[]).map(({ status }) => status)).toEqual(['skipped']);
  expect(profileUsers()).toEqual([]);
  expect(readdirSync(folder).filter((name) => name.startsWith(PROFILE))).toEqual([]);
});
