import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, expect, it } from '@jest/globals';
import { newId } from '../../src/platform/identity/ids.js';
import { Processes, type ServiceProcess } from '../support/programs/processes.js';
import { until } from '../support/until.js';

interface Log {
  epoch: number;
  size: number;
  refusal: string | null;
  continues: { size: number; reason: string } | null;
}

const processes = new Processes();
afterAll(() => processes.close());

it('signs no fork after DATA_DIR was restored from a copy, but continues in a new log when told to', async () => {
  const folder = processes.folder();
  const [dataDir, backup] = [join(folder, 'data'), join(folder, 'backup')];
  const environment = { DATA_DIR: dataDir, EVIDENCE_SEAL_SECONDS: '1', LOG_LEVEL: 'silent' };
  const start = async (): Promise<ServiceProcess> => {
    const api = await processes.startApi({ environment });
    await api.ready();
    return api;
  };
  const copy = (from: string, to: string): unknown => execFileSync('cp', ['-a', from, to]);
  const post = async ({ baseUrl }: ServiceProcess, count: number): Promise<void> => {
    for (let index = 0; index < count; index++) {
      const choice = { analytics: true, marketing: false, preferences: true, action: 'custom' };
      const body = JSON.stringify({ ...choice, id: newId() });
      // A busy machine refuses records with 503; the id makes the request repeatable.
      await until('the record is stored', async () => {
        const { ok } = await fetch(`${baseUrl}/v1/projects/${credentials().projectId}/consents`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body,
        });
        return ok;
      });
    }
  };
  const credentials = (): { projectId: string; apiKeys: { viewer: string } } =>
    JSON.parse(readFileSync(join(dataDir, 'dev-credentials.json'), 'utf8')) as ReturnType<typeof credentials>;
  const log = async ({ baseUrl }: ServiceProcess): Promise<Log> => {
    const { projectId, apiKeys } = credentials();
    const headers = { authorization: `Bearer ${apiKeys.viewer}` };
    return (await (await fetch(`${baseUrl}/v1/projects/${projectId}/log`, { headers })).json()) as Log;
  };
  const reaches = (api: ServiceProcess, size: number): Promise<unknown> =>
    until(`${size} records are in the log`, async () => (await log(api)).size === size);

  let api = await start();
  await post(api, 2);
  await reaches(api, 2);
  await api.stop();
  copy(dataDir, backup);

  api = await start();
  await post(api, 2);
  await reaches(api, 4);
  await api.stop();

  // As a person restores it: the folder is deleted first, so the file system may reuse its inodes.
  rmSync(dataDir, { recursive: true });
  copy(backup, dataDir);
  api = await start();
  await post(api, 1);
  await until('the log is halted', async () => (await log(api)).refusal !== null);
  expect(await log(api)).toMatchObject({
    epoch: 1,
    size: 2,
    refusal: expect.stringContaining('The data folder is a copy'),
  });

  const reason = 'Restored the copy of yesterday.';
  execFileSync(
    process.execPath,
    [resolve('dist', 'ops.js'), 'evidence', 'continue', '--all', '--reason', reason],
    { cwd: folder, env: { ...environment, PATH: process.env['PATH'] }, stdio: 'pipe' },
  );
  // Its number is that of the copy. Its first entry is the signed statement, its second the record that the former log never
  // signed.
  const isSigned = ({ epoch, size }: Log): boolean => epoch > 1 && size === 2;
  await until('the new log is signed', async () => isSigned(await log(api)));
  expect(await log(api)).toMatchObject({ refusal: null, continues: { size: 2, reason } });
  await api.stop();
});
