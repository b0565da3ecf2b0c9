import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { gzipSync } from 'node:zlib';
import { start, settled, upload, useService } from '../support/people/import.js';
import { createTestProject } from '../support/people/project.js';
import { startTestService, type TestService } from '../support/programs/service.js';

/** Three attempts of half a minute, on a busy machine. */
const NET_MS = 600_000;
const MEMBER_BYTES = 64 * 1024 * 1024;
const MEMBERS = 150;

let service: TestService;

beforeAll(async () => {
  service = await startTestService({ RUN_WORKER: 'true', OUTBOX_POLL_MS: '100' });
  useService(service.baseUrl);
});
afterAll(() => service.close());

it(
  'a small file that unpacks to 9 GiB of blank lines fails with a sentence, and imports of others go on',
  async () => {
    const project = await createTestProject(service);
    const blank = gzipSync(Buffer.alloc(MEMBER_BYTES, '\n'));
    const header = gzipSync('id,givenAt,analytics,marketing,preferences\n');
    const id = await upload(
      project,
      Buffer.concat([header, ...Array.from({ length: MEMBERS }, () => blank)]),
    );
    await start(project, id);
    const other = await createTestProject(service);
    const small = 'id,givenAt,analytics,marketing,preferences\n'.concat(
      `c-1,${new Date(Date.now() - 86_400_000).toISOString()},true,true,true\n`,
    );
    const otherId = await upload(other, Buffer.from(small));
    await start(other, otherId);
    expect(await settled(other, otherId, NET_MS)).toMatchObject({ state: 'finished', stored: 1 });
    expect(await settled(project, id, NET_MS)).toMatchObject({
      state: 'failed',
      failure: { code: 'file_unreadable', detail: expect.stringContaining('takes too long') },
    });
  },
  NET_MS,
);
