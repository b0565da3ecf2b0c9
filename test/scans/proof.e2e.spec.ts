import { createHash, randomBytes } from 'node:crypto';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { PublishSite } from '../../src/modules/publishing/application/publish-site.js';
import type { OutboxMessage } from '../../src/platform/outbox/domain/outbox-message.js';
import { ScanFinishedHandler } from '../../src/modules/scans/application/scan-finished-handler.js';
import { SCAN_FINISHED, SCAN_RECLASSIFIED } from '../../src/modules/scans/scans.events.js';
import { newId } from '../../src/platform/identity/ids.js';
import { type EvidenceSteps, evidenceSteps } from '../support/database/evidence-steps.js';
import type { Json } from '../support/people/json.js';
import { createTestProject, type TestProject } from '../support/people/project.js';
import { insertTestScan, type TestScan } from '../support/people/scan.js';
import { startTestService, type TestService } from '../support/programs/service.js';
import { until } from '../support/until.js';

const { verifyProof, canonical } = createRequire(import.meta.url)(
  '../../verify/verify.cjs',
) as typeof import('../../verify/verify.cjs');
const VERIFIER = join(import.meta.dirname, '..', '..', 'verify', 'verify.cjs');
const DAY_MS = 86_400_000;

let service: TestService;
let steps: EvidenceSteps;
let project: TestProject;
let folder: string;

beforeAll(async () => {
  service = await startTestService({
    EVIDENCE_KEYS: `e1:${randomBytes(32).toString('base64')}`,
    EVIDENCE_ROOT_SECONDS: '1',
  });
  steps = evidenceSteps(service);
  folder = mkdtempSync(join(tmpdir(), 'consent-scan-proofs-'));
});
afterAll(async () => {
  await service.close();
  rmSync(folder, { recursive: true, force: true });
});
beforeEach(async () => {
  project = await createTestProject(service, { domains: ['shop.example'] });
});

const insert = (given: Partial<TestScan> = {}): Promise<string> =>
  insertTestScan((sql, params) => service.database.query(sql, params), project.id, {
    items: [{ name: '_ga', pages: [1, 2], states: ['before', 'reject'], details: { setBy: 'script' } }],
    ...given,
  });

/** Evaluates a scan as a worker does. */
async function evaluate(scanId: string, topic = SCAN_FINISHED): Promise<void> {
  const handler = service.app.get(ScanFinishedHandler, { strict: false });
  const message = { topic, projectId: project.id, subjectId: scanId } as OutboxMessage;
  await handler.run(message);
}

const request = (scanId: string): Promise<Response> =>
  project.request('viewer', 'GET', `/scans/${scanId}/proof`);

async function refused(scanId: string): Promise<[number, string]> {
  const response = await request(scanId);
  return [response.status, String(((await response.json()) as Json)['code'])];
}

async function proofOf(scanId: string): Promise<string> {
  const response = await request(scanId);
  expect(response.status).toBe(200);
  return response.text();
}

async function keys(): Promise<string> {
  return (await fetch(`${service.baseUrl}/.well-known/consent-log-keys`)).text();
}

async function sealedScan(given: Partial<TestScan> = {}): Promise<string> {
  const id = await insert(given);
  await evaluate(id);
  await steps.seal(project.id);
  return id;
}

async function run(...args: string[]): Promise<{ code: number; out: string }> {
  const started = promisify(execFile)(process.execPath, [VERIFIER, ...args], { cwd: folder });
  return started.then(
    ({ stdout, stderr }) => ({ code: 0, out: stdout + stderr }),
    ({ code, stdout, stderr }: { code: number; stdout: string; stderr: string }) => ({
      code,
      out: stdout + stderr,
    }),
  );
}

describe('the proof of a scan', () => {
  it('is checked by the offline verifier up to the log of all, and names pages, states, rules and hashes', async () => {
    const shot = Buffer.from('a picture');
    await service.app.get(PublishSite, { strict: false }).publish(project.id);
    const id = await insert({ paths: ['/', '/cart'], tested: ['before', 'reject'] });
    await service.database.query(
      `insert into scan_artifact (project_id, scan_id, state, page, kind, sha256, bytes, content)
       values ($1, $2, 'reject', 2, 'screenshot', $3, $4, $5)`,
      [project.id, id, createHash('sha256').update(shot).digest(), shot.length, shot],
    );
    await service.database.query('update scan set started_at = now() where id = $1', [id]);
    await evaluate(id);
    await steps.seal(project.id);
    const text = await until('the log of all to cover it', async () => {
      await steps.anchor();
      const proof = await proofOf(id);
      return (await verifyProof(proof, await keys())).isInRootLog ? proof : null;
    });
    const { kind, record, scan, steps: found, checkpoint } = await verifyProof(text, await keys());
    expect([kind, record, found.map(({ step }) => step)]).toEqual([
      'scan',
      null,
      ['scan', 'tree', 'root log'],
    ]);
    expect(checkpoint.origin.endsWith(`/${project.id}`)).toBe(true);
    expect(scan).toMatchObject({
      schemaVersion: 1,
      id,
      projectId: project.id,
      status: 'completed',
      reason: null,
      browser: 'Chromium 1.0',
      configHash: expect.stringMatching(/^[0-9a-f]{64}$/),
      rules: { 'third-party-web': '0.30.0', 'consent-service': expect.stringMatching(/^\d+\.\d+\.\d+$/) },
      pages: [
        { number: 1, url: 'https://shop.example/', status: 'visited', loaderFound: true },
        { number: 2, url: 'https://shop.example/cart', status: 'visited', loaderFound: true },
      ],
      artifacts: [
        {
          state: 'reject',
          page: 2,
          kind: 'screenshot',
          bytes: shot.length,
          sha256: createHash('sha256').update(shot).digest('hex'),
        },
      ],
    });
    const states = scan?.['states'] as Json[];
    expect(states.map(({ state, status }) => `${String(state)} ${String(status)}`)).toEqual([
      'before tested',
      'reject tested',
      'accept not_tested',
      'withdraw not_tested',
      'signal not_tested',
    ]);
    // The command line and the page use the same check.
    writeFileSync(join(folder, `scan-${id}.tlog-proof`), text);
    writeFileSync(join(folder, 'keys.txt'), await keys());
    const checked = await run('proof', `scan-${id}.tlog-proof`, 'keys.txt');
    expect(checked).toMatchObject({ code: 0, out: expect.stringContaining(`ok    scan: scan ${id} with`) });
    expect(await run('proofs', '.', 'keys.txt')).toMatchObject({
      out: 'ok    1 of 1 proofs hold, 1 of them in the root log too\n',
    });
  });

  it('is refused with any altered byte', async () => {
    const text = await proofOf(await sealedScan());
    const trusted = await keys();
    await verifyProof(text, trusted);
    // Each tenth byte, and all of the last lines: a page, a hash, the path, the signature.
    const altered: string[] = [];
    for (let at = 0; at < text.length; at += at < text.length - 100 ? 10 : 1) {
      const other = text[at] === 'A' ? 'B' : 'A';
      if (text[at] !== '\n') altered.push(text.slice(0, at) + other + text.slice(at + 1));
    }
    for (const each of altered)
      await expect(verifyProof(each, trusted)).rejects.toHaveProperty('step', expect.any(String));
    expect(altered.length).toBeGreaterThan(100);
  });

  it('commits to everything that was seen: the hash of the items that the API lists', async () => {
    const id = await sealedScan();
    const { scan } = await verifyProof(await proofOf(id), await keys());
    const { items } = (await (await project.request('viewer', 'GET', `/scans/${id}/items`)).json()) as {
      items: Json[];
    };
    const seen = items.map(({ state, page, number, kind, name, host, thirdParty, setBy }) =>
      canonical({ state, page, number, kind, name, host, thirdParty, details: { setBy } }),
    );
    const sha256 = createHash('sha256')
      .update(seen.map((line) => `${line}\n`).join(''))
      .digest('hex');
    expect(scan?.['items']).toEqual({ count: 4, sha256 });
  });

  it('does not verify as a record, nor a record as a scan', async () => {
    const text = await proofOf(await sealedScan());
    const line = /^extra (.*)$/m.exec(text)?.[1] ?? '';
    const { scan, ...rest } = JSON.parse(Buffer.from(line, 'base64').toString()) as { scan: object };
    const withExtra = (extra: object): string =>
      text.replace(line, Buffer.from(canonical(extra)).toString('base64'));
    const trusted = await keys();
    await expect(verifyProof(withExtra({ ...rest, scan, record: scan }), trusted)).rejects.toMatchObject({
      step: 'file',
    });
    await expect(verifyProof(withExtra({ ...rest, record: scan }), trusted)).rejects.toMatchObject({
      step: 'record',
      message: 'this is not a record',
    });
    const consentId = newId();
    await service.database.query(
      `insert into consent_record (project_id, id, analytics, marketing, preferences, action, received_at, salt)
       values ($1, $2, true, false, false, 'custom', now(), sha256('salt'))`,
      [project.id, consentId],
    );
    await steps.seal(project.id);
    const proof = await (await project.request('viewer', 'GET', `/consents/${consentId}/proof`)).text();
    const extra = /^extra (.*)$/m.exec(proof)?.[1] ?? '';
    const { record, ...others } = JSON.parse(Buffer.from(extra, 'base64').toString()) as { record: object };
    const renamed = Buffer.from(canonical({ ...others, scan: record })).toString('base64');
    await expect(verifyProof(proof.replace(extra, renamed), trusted)).rejects.toMatchObject({
      step: 'scan',
      message: 'this is not a scan',
    });
  });

  it('is pending until a signed checkpoint covers it, and is the same after another evaluation', async () => {
    const id = await insert();
    const early = await request(id);
    expect([early.status, early.headers.get('retry-after'), await early.json()]).toEqual([
      202,
      '10',
      { status: 'pending' },
    ]);
    await evaluate(id);
    expect((await request(id)).status).toBe(202);
    await steps.sequence();
    expect((await request(id)).status).toBe(202);
    await steps.publish(project.id);
    const first = await proofOf(id);
    await evaluate(id);
    await evaluate(id, SCAN_RECLASSIFIED);
    await steps.seal(project.id);
    expect(await proofOf(id)).toBe(first);
  });

  it('stays when a screenshot is deleted, and goes with the scan', async () => {
    const id = await insert();
    await service.database.query(
      `insert into scan_artifact (project_id, scan_id, state, page, kind, sha256, bytes, content)
       values ($1, $2, 'before', 1, 'har', sha256('x'), 1, 'x')`,
      [project.id, id],
    );
    await evaluate(id);
    await steps.seal(project.id);
    const proof = await proofOf(id);
    await service.database.query('update scan_artifact set content = null where scan_id = $1', [id]);
    expect(await proofOf(id)).toBe(proof);
    await service.database.query('delete from scan where id = $1', [id]);
    expect(await refused(id)).toEqual([404, 'scan_not_found']);
  });

  it('is refused for a scan that has changed since, that has no result, or that is older than proofs', async () => {
    const changed = await sealedScan();
    await service.database.query(
      `update scan_proof set body = replace(body, '"origin":"manual"', '"origin":"schedule"') where scan_id = $1`,
      [changed],
    );
    expect(await refused(changed)).toEqual([409, 'scan_not_sealed']);
    expect(await refused(await insert({ status: 'failed' }))).toEqual([409, 'scan_without_result']);
    const old = await insert();
    const before = new Date(Date.now() - 2 * DAY_MS);
    await service.database.query('update scan set ended_at = $2 where id = $1', [old, before]);
    expect(await refused(old)).toEqual([409, 'scan_not_sealed']);
    expect(await refused(newId())).toEqual([404, 'scan_not_found']);
  });

  it('has its own leaf beside those of records, each once', async () => {
    const scans = [await insert(), await insert()];
    for (const id of scans) await evaluate(id);
    const consentId = newId();
    await service.database.query(
      `insert into consent_record (project_id, id, analytics, marketing, preferences, action, received_at, salt)
       values ($1, $2, true, false, false, 'custom', now(), sha256('salt'))`,
      [project.id, consentId],
    );
    await steps.seal(project.id);
    await steps.seal(project.id);
    const proofs = [
      ...(await Promise.all(scans.map(proofOf))),
      await (await project.request('viewer', 'GET', `/consents/${consentId}/proof`)).text(),
    ];
    const indexes = proofs.map((proof) => Number(/^index (\d+)$/m.exec(proof)?.[1]));
    expect(indexes.toSorted()).toEqual([0, 1, 2]);
    for (const proof of proofs) expect((await verifyProof(proof, await keys())).checkpoint.size).toBe(3);
  });
});
