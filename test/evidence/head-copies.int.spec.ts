import { randomBytes } from 'node:crypto';
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { choose } from '../support/programs/pipeline.js';
import { createTestProject, type TestProject } from '../support/people/project.js';
import { type EvidenceSteps, evidenceSteps } from '../support/database/evidence-steps.js';
import { startTestService, type TestService } from '../support/programs/service.js';

let service: TestService;
let steps: EvidenceSteps;
let heads: string;
beforeAll(async () => {
  heads = mkdtempSync(join(tmpdir(), 'consent-heads-'));
  service = await startTestService({
    EVIDENCE_KEYS: `e1:${randomBytes(32).toString('base64')}`,
    EVIDENCE_HEADS_URL: pathToFileURL(heads).href,
  });
  steps = evidenceSteps(service);
});
afterAll(async () => {
  await service.close();
  rmSync(heads, { recursive: true });
});

const checkpoint = async (project: TestProject): Promise<string> =>
  (await project.request('viewer', 'GET', '/log/checkpoint')).text();
const rowsOf = (project: TestProject): Promise<Record<string, unknown>[]> =>
  service.database.query('select size, edge, checkpoint_size, checkpoint from evidence_log where log = $1', [
    project.id,
  ]);

describe('copies of the newest checkpoints', () => {
  it('stop a log whose database and storage were both restored, which nothing else shows', async () => {
    const project = await createTestProject(service);
    const { storage } = service.settings.evidence;
    if (storage.kind !== 'folder') throw new Error('not a folder');
    const folder = join(storage.path, project.id);
    await choose(service, project.id, {});
    expect(await steps.seal(project.id)).toBe('published');
    const copy = join(heads, project.id, 'checkpoint');
    expect(readFileSync(copy, 'utf8')).toBe(await checkpoint(project));
    const [row = {}] = await rowsOf(project);
    cpSync(folder, `${folder}-older`, { recursive: true });

    await choose(service, project.id, {});
    expect(await steps.seal(project.id)).toBe('published');
    const newest = await checkpoint(project);
    expect(readFileSync(copy, 'utf8')).toBe(newest);
    await service.database.query(
      'update evidence_log set size = $2, edge = $3, checkpoint_size = $4, checkpoint = $5 where log = $1',
      [project.id, ...Object.values(row)],
    );
    rmSync(folder, { recursive: true });
    cpSync(`${folder}-older`, folder, { recursive: true });

    expect(await steps.publish(project.id)).toBe('refused');
    const state = (await (await project.request('viewer', 'GET', '/log')).json()) as { refusal: string };
    expect(state.refusal).toBe(
      'The copy of the latest checkpoints has a checkpoint of 2 entries, but the database has 1: the database is an older copy.',
    );
    expect(readFileSync(copy, 'utf8')).toBe(newest);
  });

  it('go with their project', async () => {
    const project = await createTestProject(service);
    await choose(service, project.id, {});
    expect(await steps.seal(project.id)).toBe('published');
    const copy = join(heads, project.id, 'checkpoint');
    expect(readFileSync(copy, 'utf8')).toBe(await checkpoint(project));
    expect((await project.request('owner', 'DELETE', '')).status).toBe(204);
    expect(await steps.publish(project.id)).toBe('removed');
    expect(() => readFileSync(copy)).toThrow('ENOENT');
  });
});
