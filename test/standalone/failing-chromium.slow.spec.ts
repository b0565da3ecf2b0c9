import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Processes, type ServiceProcess } from '../support/programs/processes.js';
import { until } from '../support/until.js';

const NET_MS = 120_000;
let processes: Processes;
let service: ServiceProcess;

beforeAll(() => {
  processes = new Processes();
});
afterAll(() => processes.close());

async function hasScanner(): Promise<boolean> {
  const response = await fetch(`${service.baseUrl}/metrics`);
  return /scanners_running\{process="api"\} 1$/m.test(await response.text());
}

it(
  'a Chromium that fails at first is tried again, without a restart',
  async () => {
    const chromium = join(processes.folder(), 'chromium');
    const works = join(processes.folder(), 'works');
    writeFileSync(chromium, `#!/bin/sh\n[ -e ${works} ] && echo 'Chromium 141.0.7390.54'\n`, { mode: 0o755 });
    service = await processes.startApi({
      environment: { DATA_DIR: processes.dataFolder(), SCANNER_CHROMIUM: chromium },
    });
    await service.ready();
    const written = /trying again in (\d+) s/g;
    await until('the second try fails', () => [...service.output().matchAll(written)].length >= 2, NET_MS);
    expect([...service.output().matchAll(written)].slice(0, 2).map(([, seconds]) => seconds)).toEqual([
      '5',
      '10',
    ]);
    await until('scans are not available', async () => !(await hasScanner()));
    writeFileSync(works, '');
    await until('scans are available', () => hasScanner());
  },
  2 * NET_MS,
);
