import { randomBytes } from 'node:crypto';
import { createRequire } from 'node:module';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { copyDatabase } from '../../src/platform/database/copy.js';
import { DailyCheck } from '../../src/modules/evidence/application/log-maintenance.js';
import { checkEntries } from '../../src/modules/evidence/application/check-records.js';
import { LogSigner } from '../../src/modules/evidence/application/log-signer.js';
import { insertEntry } from '../../src/modules/evidence/infrastructure/entry.rows.js';
import { LogStorage } from '../../src/modules/evidence/infrastructure/log-storage.js';
import { ScanProofService } from '../../src/modules/scans/application/scan-proof.service.js';
import { newId } from '../../src/platform/identity/ids.js';
import { createTestDatabase } from '../support/database/database.js';
import { backUpLog, restoreLog } from '../support/database/evidence-backup.js';
import { type EvidenceSteps, evidenceSteps } from '../support/database/evidence-steps.js';
import { createTestProject, type TestProject } from '../support/people/project.js';
import { type Outcome, runEvidence } from '../support/programs/run-ops.js';
import { insertTestScan } from '../support/people/scan.js';
import { startTestService, type TestService } from '../support/programs/service.js';

const { verifyProof } = createRequire(import.meta.url)(
  '../../verify/verify.cjs',
) as typeof import('../../verify/verify.cjs');
const KEY = `e1:${randomBytes(32).toString('base64')}`;

let service: TestService;
let steps: EvidenceSteps;
let project: TestProject;

beforeAll(async () => {
  service = await startTestService({ EVIDENCE_KEYS: KEY });
  steps = evidenceSteps(service);
});
afterAll(() => service.close());
beforeEach(async () => {
  project = await createTestProject(service, { domains: ['shop.example'] });
});

const query = (text: string, values: unknown[] = []): Promise<Record<string, unknown>[]> =>
  service.database.query(text, values);

/** A scan that is in the log, or will be. */
async function addScan(): Promise<string> {
  const id = await insertTestScan(query, project.id, { items: [{ name: '_ga' }] });
  await service.database.orm.em
    .fork()
    .transactional((tx) =>
      service.app.get(ScanProofService, { strict: false }).append(tx, { projectId: project.id, scanId: id }),
    );
  return id;
}

async function sealedScan(): Promise<string> {
  const id = await addScan();
  expect(await steps.seal(project.id)).toBe('published');
  return id;
}

const ops = (...args: string[]): Promise<Outcome> => runEvidence(service, { keys: KEY }, args);

async function proofOf(scanId: string): Promise<{ epoch: string; id: unknown }> {
  const response = await project.request('viewer', 'GET', `/scans/${scanId}/proof`);
  expect(response.status).toBe(200);
  const keys = await (await fetch(`${service.baseUrl}/.well-known/consent-log-keys`)).text();
  const { checkpoint, scan } = await verifyProof(await response.text(), keys);
  return { epoch: checkpoint.origin.split(project.id)[1] ?? '', id: scan?.['id'] };
}

describe('ops evidence check', () => {
  it('compares the scans of a project with its log', async () => {
    await sealedScan();
    await sealedScan();
    const { code, out } = await ops('check', project.id);
    expect({ code, out }).toMatchObject({
      code: 0,
      out: expect.stringContaining(`${project.id}  2 scans  ok`),
    });
  });

  it.each([
    [
      'what was seen',
      `update scan_proof set body = replace(body, 'manual', 'schedule') where scan_id = $1`,
      'changed',
    ],
    ['its salt', `update scan_proof set salt = sha256('x') where scan_id = $1`, 'changed'],
    ['its text, which is no JSON then', `update scan_proof set body = 'x' where scan_id = $1`, 'changed'],
    ['its commitment', `update evidence_entry set commitment = sha256('x') where id = $1`, 'changed'],
    ['its place in the log', 'update evidence_entry set leaf_index = 0 where id = $1', 'changed'],
    ['its statement, which is gone', 'delete from scan_proof where scan_id = $1', 'missing'],
  ])('names a scan of which someone changed %s', async (_, tampering, kind) => {
    await sealedScan();
    const id = await sealedScan();
    await query(tampering, [id]);
    const { code, out } = await ops('check', project.id);
    expect({ code, out }).toMatchObject({
      code: 1,
      out: expect.stringMatching(
        new RegExp(`scan ${id} {2}${kind}: .*\n${project.id} {2}2 scans {2}1 with problems`),
      ),
    });
  });
});

it('compares all entries of a project, of which each query reads 500', async () => {
  const ids: string[] = [];
  await service.database.orm.em.fork().transactional(async (tx) => {
    for (let count = 0; count < 502; count++) {
      const id = newId();
      await insertEntry(tx, { projectId: project.id, id, commitment: randomBytes(32) });
      ids.push(id);
    }
  });
  expect(await steps.seal(project.id)).toBe('published');
  const tools = {
    em: service.database.orm.em.fork(),
    storage: service.app.get(LogStorage, { strict: false }),
    signer: service.app.get(LogSigner, { strict: false }),
  };
  expect(await checkEntries(tools, project.id)).toEqual({ compared: 502, findings: [] });
  const last = ids.toSorted().at(-1) ?? '';
  await query(`update evidence_entry set commitment = sha256('x') where id = $1`, [last]);
  const { compared, findings } = await checkEntries(tools, project.id);
  expect(compared).toBe(502);
  expect(findings).toEqual([{ id: last, kind: 'changed', detail: 'The entry differs from the log.' }]);
});

describe('the daily check', () => {
  it('reports a scan whose entry differs from the log', async () => {
    const id = await sealedScan();
    await query(`update evidence_log set checked_at = now() - interval '30 hours' where log = $1`, [
      project.id,
    ]);
    await query(`update evidence_entry set commitment = sha256('x') where id = $1`, [id]);
    await service.app.get(DailyCheck, { strict: false }).run(new Date());
    const [log] = await query('select problem from evidence_log where log = $1', [project.id]);
    expect(log?.['problem']).toBe(`The entry ${id} is changed: The entry differs from the log.`);
  });
});

describe('scans in a log that continues another one', () => {
  it('are proved by the new log if the old one was restored without them', async () => {
    const kept = await sealedScan();
    const older = await backUpLog(service, project.id);
    const lost = await sealedScan();
    await restoreLog(service, project.id, older);
    await query('delete from scan where id = $1', [lost]);
    const late = await addScan();
    expect(await steps.seal(project.id)).toBe('refused');
    const done = await ops('continue', '--project', project.id, '--reason', 'The database was restored.');
    expect(done).toMatchObject({ code: 0, err: '' });
    expect(await steps.seal(project.id)).toBe('published');
    expect(await proofOf(kept)).toMatchObject({ id: kept });
    expect(await proofOf(late)).toEqual({ epoch: '/2', id: late });
    const { code, out } = await ops('check', project.id);
    expect({ code, out }).toMatchObject({ code: 0, out: expect.stringContaining('2 scans  ok') });
  });
});

describe('database copy', () => {
  it('takes scans and their statements along, for the log of the other server', async () => {
    const id = await sealedScan();
    const target = await createTestDatabase();
    const [from, to] = [new Client(service.database.ownerUrl), new Client(target.ownerUrl)];
    await Promise.all([from.connect(), to.connect()]);
    await copyDatabase(from, to, { ownerEmail: 'demo@example.com', pricePrefix: 'price_demo_' });
    await Promise.all([from.end(), to.end()]);
    const entry = 'select commitment, leaf_index from evidence_entry where id = $1';
    const statement = 'select body, salt from scan_proof where scan_id = $1';
    const [before] = await query(entry, [id]);
    expect(before).toMatchObject({ leaf_index: expect.anything() });
    expect(await target.query(entry, [id])).toEqual([{ ...before, leaf_index: null }]);
    expect(await target.query(statement, [id])).toEqual(await query(statement, [id]));
    await target.close();
  });
});
