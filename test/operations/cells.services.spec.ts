import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { freePort } from '../support/programs/free-port.js';
import { Processes } from '../support/programs/processes.js';
import { startTestService, type TestService } from '../support/programs/service.js';
import { until } from '../support/until.js';

const EU = 'https://eu.service.example';
const US = 'https://us.service.example';
const CELLS = `eu=${EU},us=${US}`;

let eu: TestService;
let us: TestService;
let entry: ChildProcess;
let entryUrl: string;
const processes = new Processes();

/** Debian's Caddy with deploy/cells/Caddyfile, in front of two cells. */
beforeAll(async () => {
  eu = await startTestService({ PUBLIC_BASE_URL: EU, CELLS });
  us = await startTestService({ PUBLIC_BASE_URL: US, CELLS });
  const [port, httpsPort] = [await freePort(), await freePort()];
  entryUrl = `http://127.0.0.1:${port}`;
  const folder = processes.folder();
  entry = spawn(
    'caddy',
    ['run', '--adapter', 'caddyfile', '--config', join('deploy', 'cells', 'Caddyfile')],
    {
      stdio: 'ignore',
      env: {
        PATH: process.env['PATH'],
        HOME: folder,
        XDG_DATA_HOME: folder,
        XDG_CONFIG_HOME: folder,
        CADDY_ADMIN: `127.0.0.1:${await freePort()}`,
        HTTP_PORT: String(port),
        HTTPS_PORT: String(httpsPort),
        ENTRY_HOST: entryUrl,
        CELL_HOSTS: `${eu.baseUrl} ${us.baseUrl}`,
      },
    },
  );
  await until('the entry answers', () =>
    fetch(entryUrl, { redirect: 'manual' }).then(
      () => true,
      () => false,
    ),
  );
});
afterAll(async () => {
  if (!entry) return;
  const ended = once(entry, 'exit');
  entry.kill('SIGTERM');
  await ended;
  await us.close();
  await processes.close();
});

const get = (path: string, cookie = ''): Promise<Response> =>
  fetch(`${entryUrl}${path}`, { redirect: 'manual', headers: { cookie } });

describe('the entry of two cells', () => {
  it('leads every address to the choice of a region, and then to the cell', async () => {
    const start = await get('/projects/any');
    expect([start.status, start.headers.get('location')]).toEqual([302, '/region']);
    expect(await (await get('/region')).text()).toContain('us.service.example');
    const chosen = await get('/region/us');
    expect([chosen.status, chosen.headers.get('location')]).toEqual([302, `${US}/`]);
    expect(chosen.headers.get('set-cookie')).toContain('Domain=service.example');
    expect((await get('/region', 'cell=us')).headers.get('location')).toBe(`${US}/`);
  });

  it('passes nothing else on', async () => {
    for (const path of ['/v1/me', '/metrics', '/cdn/x/config.json', '/docs'])
      expect((await get(path)).headers.get('location')).toBe('/region');
  });

  it('works while a cell is away', async () => {
    await eu.close();
    for (let request = 0; request < 5; request++) expect((await get('/region')).status).toBe(200);
    expect((await get('/region/us')).headers.get('location')).toBe(`${US}/`);
  });
});
