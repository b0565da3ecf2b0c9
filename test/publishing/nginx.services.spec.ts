import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
// @ts-expect-error A script has no types.
import { withNginxBlocks } from '../../scripts/write-nginx.mjs';
import { configurationPresets } from '../../src/modules/publishing/http/configuration.dto.js';
import { fileNamePattern, PUBLISHED_FILES } from '../../src/modules/publishing/domain/published-files.js';
import { freePort } from '../support/programs/free-port.js';
import { createTestProject, type TestProject } from '../support/people/project.js';
import { startTestService, type TestService } from '../support/programs/service.js';
import { until } from '../support/until.js';

/** A PNG of one pixel. */
const LOGO =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

let service: TestService;
let folder: string;
let storage: string;
/** A project with our banner and a logo, and one with signals and its own banner. */
let projects: TestProject[];
let nginx: ChildProcess;
const origins: Record<'folder' | 'API', string> = { folder: '', API: '' };

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'nginx-'));
  service = await startTestService({
    RUN_WORKER: 'true',
    OUTBOX_POLL_MS: '100',
    TRUSTED_PROXIES: '127.0.0.1',
    COUNTRY_HEADER: 'x-country',
    SUBDIVISION_HEADER: 'x-subdivision',
  });
  const { storage: given } = service.settings.publishing;
  if (given.kind !== 'folder') throw new Error('not a folder');
  storage = given.path;
  projects = [
    await publish({
      policyVersion: 'nginx-1',
      banner: { enabled: true, logo: LOGO },
      texts: configurationPresets({ languages: 'en,de,fr,es,it,nl,pl,pt,sv,da' }).texts,
    }),
    await publish({
      policyVersion: 'nginx-2',
      banner: { enabled: false },
      signals: { metaPixel: true },
    }),
  ];
  await startNginx();
});
afterAll(async () => {
  if (nginx) {
    const ended = once(nginx, 'exit');
    nginx.kill('SIGTERM');
    await ended;
  }
  await service?.close();
  rmSync(folder, { recursive: true, force: true });
});

async function publish(configuration: object): Promise<TestProject> {
  const project = await createTestProject(service, { tier: 'business' });
  const saved = await project.request('editor', 'PUT', '/configuration', configuration);
  expect([saved.status, saved.status === 200 ? '' : await saved.text()]).toEqual([200, '']);
  // The newest is written last; the first may be that of the new project.
  const { policyVersion } = (await saved.json()) as { policyVersion: string };
  const file = join(storage, project.id, 'config.json');
  await until('published', () => existsSync(file) && readFileSync(file, 'utf8').includes(policyVersion));
  return project;
}

/** Both blocks of the document, each in a separate server. */
async function startNginx(): Promise<void> {
  const [folderPort, apiPort] = [await freePort(), await freePort()];
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  const text = readFileSync(join('docs', 'publishing.md'), 'utf8');
  const [forFolder, forApi] = [...text.matchAll(/```nginx\n([^]*?)```/g)].map(([, block = '']) =>
    block.replaceAll('/srv/sites', storage).replace('http://127.0.0.1:3000', service.baseUrl),
  );
  const file = join(folder, 'nginx.conf');
  writeFileSync(
    file,
    `daemon off; pid ${folder}/nginx.pid; error_log stderr; events {}
     ${process.getuid?.() === 0 ? 'user root;' : ''}
     http {
       access_log off;
       ${temporary.map((name) => `${name}_temp_path ${folder}/${name};`).join('\n')}
       include /etc/nginx/mime.types;
       root ${folder}/none;
       server { listen 127.0.0.1:${folderPort};\n${forFolder} }
       server { listen 127.0.0.1:${apiPort};\n${forApi} }
     }`,
  );
  nginx = spawn('nginx', ['-c', file, '-e', 'stderr'], {
    env: { PATH: `${process.env['PATH']}:/usr/sbin` },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let output = '';
  nginx.stderr?.on('data', (data) => (output += String(data)));
  Object.assign(origins, { folder: `http://127.0.0.1:${folderPort}`, API: `http://127.0.0.1:${apiPort}` });
  await until('nginx answers', () => {
    if (nginx.exitCode !== null) throw new Error(output);
    return fetch(origins.API).then(
      () => true,
      () => null,
    );
  });
}

/** What publications wrote, with the file of the list that each is. */
const written = (): { path: string; name: string; file: (typeof PUBLISHED_FILES)[number] }[] =>
  projects.flatMap(({ id }) =>
    readdirSync(join(storage, id)).map((name) => {
      const file = PUBLISHED_FILES.find((each) => new RegExp(`^${fileNamePattern(each)}$`).test(name));
      if (!file) throw new Error(`${name} is not in the list of published files`);
      return { path: `/${id}/${name}`, name, file };
    }),
  );

const withBlocks = withNginxBlocks as (page: string, published: object) => string;

describe('the blocks for nginx in docs/publishing.md', () => {
  it('are generated from the list of published files', () => {
    const page = readFileSync(join('docs', 'publishing.md'), 'utf8');
    expect(withBlocks(page, { PUBLISHED_FILES, fileNamePattern })).toBe(page);
    for (const { name } of PUBLISHED_FILES) expect(page).toContain(name);
  });

  it('are tested with every kind of file', () => {
    expect(new Set(written().map(({ file }) => file))).toEqual(new Set(PUBLISHED_FILES));
  });

  it('serve all that a publication writes from the folder, as the storage describes it', async () => {
    for (const { path, file } of written()) {
      const response = await fetch(origins.folder + path, {
        headers: { origin: 'https://www.shop.example' },
      });
      const body = Buffer.from(await response.arrayBuffer());
      expect([path, response.status]).toEqual([path, 200]);
      expect(body.equals(readFileSync(join(storage, path)))).toBe(true);
      expect(Object.fromEntries(response.headers)).toMatchObject({
        'content-type': expect.stringMatching(new RegExp(`^${file.contentType}$`, 'i')),
        'cache-control': file.cacheControl,
        'access-control-allow-origin': '*',
        'cross-origin-resource-policy': 'cross-origin',
        'x-content-type-options': 'nosniff',
        etag: expect.any(String),
      });
      const isPicture = file.contentType.startsWith('image/');
      expect([path, response.headers.get('content-encoding')]).toEqual([path, isPicture ? null : 'gzip']);
    }
  });

  it('serve what pages load from the API', async () => {
    for (const { path, file } of written().filter(({ file: { name } }) => name !== '{hash}.json')) {
      const response = await fetch(origins.API + path, {
        headers: { 'x-country': 'US', 'x-subdivision': 'CA' },
      });
      expect([path, response.status]).toEqual([path, 200]);
      expect(response.headers.get('content-type')).toMatch(new RegExp(`^${file.contentType}$`, 'i'));
      const text = await response.text();
      // The visitor's own header is not believed.
      if (file.name === 'config.json') expect(JSON.parse(text)).toMatchObject({ region: 'XX', isEu: true });
    }
  });

  it('serve nothing else', async () => {
    const [{ id }] = projects as [TestProject, TestProject];
    writeFileSync(join(storage, id, 'other.txt'), 'secret');
    try {
      for (const path of ['/', `/${id}/`, `/${id}/other.txt`, `/${id}/logo-0.png`, `/x/loader.js`])
        for (const origin of Object.values(origins)) expect((await fetch(origin + path)).status).toBe(404);
    } finally {
      rmSync(join(storage, id, 'other.txt'));
    }
  });
});
