import { randomBytes } from 'node:crypto';
import { createRequire } from 'node:module';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { EntityManager } from '@mikro-orm/postgresql';
import { createHttpApp } from '../../src/programs/http-app.js';
import { KeyRollover } from '../../src/modules/evidence/application/log-maintenance.js';
import { AnchorCheckpoints } from '../../src/modules/evidence/application/anchor-checkpoints.js';
import { ROOT_LOG } from '../../src/modules/evidence/domain/log.js';
import { listSigners } from '../../src/modules/evidence/domain/signed-note.js';
import { writeCheckpoint } from '../../src/modules/evidence/infrastructure/checkpoint.rows.js';
import { newId } from '../../src/platform/identity/ids.js';
import { createTestProject, type TestProject } from '../support/people/project.js';
import { runEvidence, runProgram } from '../support/programs/run-ops.js';
import { type EvidenceSteps, evidenceSteps } from '../support/database/evidence-steps.js';
import { closeApp, startTestService, type TestService } from '../support/programs/service.js';

const { verifyProof, verifyConsistency, verifyContinuation } = createRequire(import.meta.url)(
  '../../verify/verify.cjs',
) as typeof import('../../verify/verify.cjs');

const [FORMER, CURRENT] = [
  { id: 'e1', key: randomBytes(32) },
  { id: 'e2', key: randomBytes(32) },
] as const;

/** Three starts of one service: before the rotation, with both keys, and with the former one retired. */
let before: TestService;
const others: TestService[] = [];
let idle: TestProject;
let consentId: string;

/** The same service after a restart with other keys. */
async function restartedWith(keys: readonly { id: string; key: Buffer }[]): Promise<TestService> {
  const settings = { ...before.settings, evidence: { ...before.settings.evidence, keys: [...keys] } };
  const app = await createHttpApp(settings);
  await app.listen(0, '127.0.0.1');
  const service: TestService = {
    ...before,
    app,
    settings,
    baseUrl: await app.getUrl(),
    close: () => closeApp(app),
  };
  others.push(service);
  return service;
}

beforeAll(async () => {
  before = await startTestService({
    EVIDENCE_KEYS: `e1:${FORMER.key.toString('base64')}`,
    EVIDENCE_ROOT_SECONDS: '1',
  });
  idle = await createTestProject(before);
  consentId = await store(idle);
  const steps = evidenceSteps(before);
  await steps.seal(idle.id);
  await rootAll(steps);
});
afterAll(async () => {
  for (const service of others) await service.close();
  await before.close();
});

async function store(project: TestProject): Promise<string> {
  const id = newId();
  await before.database.query(
    `insert into consent_record (project_id, id, analytics, marketing, preferences, action, received_at, salt)
     values ($1, $2, true, false, true, 'custom', date_trunc('milliseconds', now()), $3)`,
    [project.id, id, randomBytes(32)],
  );
  return id;
}

/** The log of all takes checkpoints once in a second at most: its last growth was long ago. */
async function rootAll(steps: EvidenceSteps): Promise<void> {
  await before.database.query(
    `update evidence_log set appended_at = now() - interval '1 minute' where log = $1`,
    [ROOT_LOG],
  );
  expect(await steps.anchor()).toBe('published');
}

const read = async ({ baseUrl }: TestService, path: string): Promise<string> => {
  const headers = { authorization: `Bearer ${idle.keys.viewer}` };
  const answer = await fetch(`${baseUrl}${path}`, { headers });
  expect(answer.status).toBe(200);
  return answer.text();
};
const keysOf = (service: TestService): Promise<string> => read(service, '/.well-known/consent-log-keys');
const proofOf = (service: TestService): Promise<string> =>
  read(service, `/v1/projects/${idle.id}/consents/${consentId}/proof`);
const checkpointOf = (service: TestService): Promise<string> =>
  read(service, `/v1/projects/${idle.id}/log/checkpoint`);
/** Lines of keys, with the comment above each. */
const keyLines = (keys: string): string[] => keys.trim().split('\n').slice(1);
const asked = (): Promise<{ subjectId: string }[]> =>
  before.database.query(
    `select distinct subject_id as "subjectId" from outbox_message where topic = 'checkpoint.due' order by 1`,
  );
const resign = ({ app }: TestService): Promise<void> => app.get(KeyRollover, { strict: false }).run();

describe('after a rotation of the key', () => {
  let both: TestService;
  let steps: EvidenceSteps;
  let first: string;
  let firstProof: string;
  beforeAll(async () => {
    first = await checkpointOf(before);
    firstProof = await proofOf(before);
    both = await restartedWith([CURRENT, FORMER]);
    steps = evidenceSteps(both);
    await before.database.query('delete from outbox_message');
    await before.database.query(`update evidence_log set requested_at = now() - interval '7 hours'`);
  });

  it('publishes the former key without an end until the new one has signed', async () => {
    const [since, former, fresh] = keyLines(await keysOf(both));
    expect(since).toMatch(/^# signs since \d{4}-\d\d-\d\d$/);
    expect(keyLines(await keysOf(before))).toEqual([since, former]);
    expect(fresh).toBe('# not used yet');
  });

  it('asks for a signature of each idle log, the log of all included, and of no refused one', async () => {
    await resign(both);
    expect(await asked()).toEqual([{ subjectId: ROOT_LOG }, { subjectId: idle.id }]);
    // They wait: nothing is requested again.
    const count = (): Promise<unknown> => before.database.query('select count(*) from outbox_message');
    const waiting = await count();
    await resign(both);
    expect(await count()).toEqual(waiting);
    await before.database.query('delete from outbox_message');
    await before.database.query(
      `update evidence_log set requested_at = null, refusal = case when log = $1 then 'damaged' end, refused_at = now()`,
      [idle.id],
    );
    await resign(both);
    expect(await asked()).toEqual([{ subjectId: ROOT_LOG }]);
    await before.database.query('update evidence_log set refusal = null, refused_at = null');
    const status = await runProgram('ops', ['evidence', 'status'], {
      ...operatorOf(both),
      EVIDENCE_KEYS: [CURRENT, FORMER].map(({ id, key }) => `${id}:${key.toString('base64')}`).join(),
    });
    expect(status.out).toContain(
      '2 of them must still be signed by the first key of EVIDENCE_KEYS. Keep the other keys until then.',
    );
  });

  it('signs what stands still again at its size, and a slow signer does not undo it', async () => {
    expect(await steps.publish(idle.id)).toBe('published');
    const second = await checkpointOf(both);
    expect(second.split('\n\n')[0]).toBe(first.split('\n\n')[0]);
    expect(listSigners(second)).not.toEqual(listSigners(first));
    // One that had read the log before both.
    const em = both.app.get(EntityManager, { strict: false }).fork();
    const late = first.replace('kept-from 2', 'kept-from 1');
    await em.transactional((tx) =>
      writeCheckpoint(tx, { log: idle.id, epoch: 1, size: 1, note: late, former: first }),
    );
    expect(await checkpointOf(both)).toBe(second);
    // A second run changes nothing.
    expect(await steps.publish(idle.id)).toBe('published');
    expect(await checkpointOf(both)).toBe(second);
    await expect(verifyConsistency(first, second, '', await keysOf(both))).resolves.toBeDefined();
  });

  it('roots the new signature, so that proofs rest on the new key alone', async () => {
    await rootAll(steps);
    const proof = await proofOf(both);
    const [fresh] = listSigners(await checkpointOf(both));
    expect([...new Set(listSigners(proof))]).toEqual([fresh]);
    const own = keyLines(await keysOf(both)).find((line) => line.startsWith(`${fresh}+`)) ?? '';
    expect(await verifyProof(proof, own)).toMatchObject({ isInRootLog: true, notes: [] });
    const rooted = await before.database.query('select count(*)::int as entries from evidence_root_entry');
    expect(rooted).toEqual([{ entries: 0 }]);
    // Nothing is left to be rooted.
    expect(await both.app.get(AnchorCheckpoints, { strict: false }).anchorBatch()).toBe(false);
    const size = (note: string): string | undefined => note.split('\n')[1];
    const root = await read(both, '/log/checkpoint');
    await rootAll(steps);
    expect(size(await read(both, '/log/checkpoint'))).toBe(size(root));
  });

  it('goes on without the former key, which stays published with its end', async () => {
    const alone = await restartedWith([CURRENT]);
    const next = await store(idle);
    expect(await evidenceSteps(alone).seal(idle.id)).toBe('published');
    expect(await read(alone, `/v1/projects/${idle.id}/consents/${next}/proof`)).toContain('tlog-proof');
    const keys = await keysOf(alone);
    const former = listSigners(first)[0] ?? '';
    const at = keyLines(keys).findIndex((line) => line.startsWith(`${former}+`));
    expect(keyLines(keys)[at - 1]).toMatch(/^# signs since (\S+), until (\d{4}-\d\d-\d\d)$/);
    expect(keyLines(keys).filter((line) => line.includes('until'))).toHaveLength(1);
    // Its signatures remain valid, with a note, except for later records.
    expect((await verifyProof(firstProof, keys)).notes[0]).toContain('ended on');
    const stale = keys.replace(/until \S+/, 'until 2026-01-01');
    await expect(verifyProof(firstProof, stale)).rejects.toMatchObject({ step: 'tree: checkpoint' });
    await resign(alone);
    await before.database.query('delete from outbox_message');
    await resign(alone);
    expect(await asked()).toEqual([]);
  });
});

it('takes the newest of several checkpoints that one root covers into proofs', async () => {
  const steps = evidenceSteps(others.at(-1) ?? before);
  const newest = others.at(-1) ?? before;
  for (let n = 0; n < 2; n++) {
    await store(idle);
    await steps.seal(idle.id);
    await before.database.query(
      `update evidence_log set appended_at = now() - interval '1 minute' where log = $1`,
      [ROOT_LOG],
    );
    await newest.app.get(AnchorCheckpoints, { strict: false }).anchorBatch();
  }
  expect(
    await before.database.query('select count(*)::int as waiting from evidence_root_entry where log = $1', [
      idle.id,
    ]),
  ).toEqual([{ waiting: 2 }]);
  await steps.publish(ROOT_LOG);
  // A signer that was slow: its checkpoint is smaller by now.
  const em = newest.app.get(EntityManager, { strict: false }).fork();
  const current = await checkpointOf(newest);
  const late = { log: idle.id, epoch: 1, size: 1, note: 'late', former: current };
  await em.transactional((tx) => writeCheckpoint(tx, late));
  expect(await checkpointOf(newest)).toBe(current);
  const [, size] = (await checkpointOf(newest)).split('\n');
  const [, note = ''] = (await proofOf(newest)).split('\n\n');
  expect(note.split('\n')[1]).toBe(size);
});

/** The environment of an operator's command for the service. */
function operatorOf({ database, settings }: TestService): NodeJS.ProcessEnv {
  return {
    NODE_ENV: 'test',
    DATABASE_URL: database.url,
    DATA_DIR: settings.service.dataDir,
    SECRET_KEYS: `k1:${randomBytes(32).toString('base64')}`,
    AUTH_SECRET: 'x'.repeat(32),
    LOG_LEVEL: 'silent',
  };
}

it('is continued after its key was lost', async () => {
  const lost = await restartedWith([FORMER]);
  const project = await createTestProject(lost);
  await store(project);
  const former = evidenceSteps(lost);
  await former.seal(project.id);
  const held = await (await project.request('viewer', 'GET', '/log/checkpoint')).text();
  const next = { id: 'e3', key: randomBytes(32) };
  const service = await restartedWith([next]);
  await store(project);
  expect(await evidenceSteps(service).seal(project.id)).toBe('refused');
  const keyLine = `${next.id}:${next.key.toString('base64')}`;
  const done = await runEvidence(before, { keys: keyLine }, [
    'continue',
    '--all',
    '--reason',
    'The key was lost.',
  ]);
  expect(done).toMatchObject({ code: 0, err: '' });
  expect(done.out).toContain(`/${project.id}/2 continues the 1 entries of`);
  const steps = evidenceSteps(service);
  expect(await steps.publish(project.id)).toBe('published');
  const { baseUrl } = service;
  const get = async (path: string): Promise<string> =>
    (
      await fetch(`${baseUrl}${path}`, { headers: { authorization: `Bearer ${project.keys.viewer}` } })
    ).text();
  const statement = await get(`/v1/projects/${project.id}/log/continues`);
  const keys = await get('/.well-known/consent-log-keys');
  expect(await verifyContinuation(statement, held, keys)).toMatchObject({
    former: { size: 1 },
    reason: 'The key was lost.',
  });
});
