import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { extractText, getDocumentProxy } from 'unpdf';
import { LogStorage } from '../../src/modules/evidence/infrastructure/log-storage.js';
import { PublishSite } from '../../src/modules/publishing/application/publish-site.js';
import { newId } from '../../src/platform/identity/ids.js';
import { createTestProject, type TestProject } from '../support/people/project.js';
import { type EvidenceSteps, evidenceSteps } from '../support/database/evidence-steps.js';
import { startTestService, type TestService } from '../support/programs/service.js';
import { until } from '../support/until.js';
import { unzip } from '../support/rules/unzip.js';

const VERIFIER = join(import.meta.dirname, '..', '..', 'verify', 'verify.cjs');
const PROOFS = '/consents/export?format=csv&proofs=1';

let service: TestService;
let steps: EvidenceSteps;
let folder: string;
beforeAll(async () => {
  service = await startTestService({
    EVIDENCE_KEYS: `e1:${randomBytes(32).toString('base64')}`,
    EVIDENCE_ROOT_SECONDS: '1',
  });
  steps = evidenceSteps(service);
  folder = mkdtempSync(join(tmpdir(), 'consent-proofs-'));
});
afterAll(async () => {
  await service.close();
  rmSync(folder, { recursive: true, force: true });
});

const makeProject = (fields: object = {}): Promise<TestProject> =>
  createTestProject(service, { tier: 'pro', ...fields });

/** Stores records. Returns their ids. */
async function store({ id }: TestProject, count: number): Promise<string[]> {
  const ids = Array.from({ length: count }, () => newId());
  await service.database.query(
    `insert into consent_record (project_id, id, analytics, marketing, preferences, action, extra, received_at, salt)
     select $1, id, true, false, n % 2 = 0, 'custom', jsonb_build_object('n', n, 'é', '\u20ac'),
            date_trunc('milliseconds', now()), decode(md5(n::text) || md5(id::text), 'hex')
     from unnest($2::uuid[]) with ordinality as t (id, n)`,
    [id, ids],
  );
  return ids;
}
const exported = async (project: TestProject, query = ''): Promise<Map<string, Buffer>> => {
  const response = await project.request('viewer', 'GET', `${PROOFS}${query}`);
  expect(response.status).toBe(200);
  return unzip(Buffer.from(await response.arrayBuffer()));
};
const refusal = async (asked: Promise<Response>): Promise<{ status: number; code: string; detail: string }> =>
  (await (await asked).json()) as { status: number; code: string; detail: string };

/** The log of all takes checkpoints once in a second at most. */
const inRootLog = (project: TestProject, id: string): Promise<unknown> =>
  until('the log of all covers it', async () => {
    await steps.anchor();
    const record = (await (await project.request('viewer', 'GET', `/consents/${id}`)).json()) as {
      evidence: { isInRootLog: boolean };
    };
    return record.evidence.isInRootLog;
  });

/** Unpacks into a separate folder, beside the keys. */
async function unpack(files: ReadonlyMap<string, Buffer>): Promise<string> {
  const into = mkdtempSync(join(folder, 'export-'));
  for (const [name, content] of files) {
    mkdirSync(dirname(join(into, name)), { recursive: true });
    writeFileSync(join(into, name), content);
  }
  const keys = await fetch(`${service.baseUrl}/.well-known/consent-log-keys`);
  writeFileSync(join(into, 'keys.txt'), await keys.text());
  return into;
}

/** Runs the line that the README names. */
const verify = (into: string): Promise<{ code: number; out: string; err: string }> =>
  promisify(execFile)(process.execPath, [VERIFIER, 'proofs', 'proofs/', 'keys.txt'], { cwd: into }).then(
    ({ stdout, stderr }) => ({ code: 0, out: stdout, err: stderr }),
    ({ code, stdout, stderr }: { code: number; stdout: string; stderr: string }) => ({
      code,
      out: stdout,
      err: stderr,
    }),
  );

describe('an export with proofs', () => {
  it('has the CSV as it is without, and of each record the proof that is also given alone', async () => {
    const project = await makeProject({ name: 'Gärtnerei' });
    const ids = await store(project, 450);
    await steps.seal(project.id);
    await inRootLog(project, ids[0] ?? '');
    const [late = ''] = await store(project, 1);
    await steps.seal(project.id);
    const to = new Date(Date.now() + 60_000).toISOString();
    const response = await project.request('viewer', 'GET', `${PROOFS}&to=${to}`);
    expect(response.headers.get('content-type')).toBe('application/zip');
    expect(response.headers.get('content-disposition')).toBe(
      `attachment; filename="consents-${to.slice(0, 10)}.zip"`,
    );
    const files = await unzip(Buffer.from(await response.arrayBuffer()));
    const csvName = `consents-${to.slice(0, 10)}.csv`;
    expect([...files.keys()]).toEqual([
      csvName,
      ...[...ids, late].map((id) => `proofs/${id}.tlog-proof`),
      'README.txt',
    ]);
    const csv = await project.request('viewer', 'GET', `/consents/export?format=csv&to=${to}`);
    expect(files.get(csvName)?.toString()).toBe(await csv.text());
    // In the root log, and only in the project's own yet.
    for (const id of [ids[0] ?? '', ids[300] ?? '', late]) {
      const alone = await project.request('viewer', 'GET', `/consents/${id}/proof`);
      expect(files.get(`proofs/${id}.tlog-proof`)?.toString()).toBe(await alone.text());
    }
    const readme = files.get('README.txt')?.toString() ?? '';
    expect(readme).toContain(`Consent records of Gärtnerei (${project.id})`);
    expect(readme).toContain(`${service.settings.service.publicBaseUrl ?? ''}/.well-known/consent-log-keys`);
    expect(readme).toContain('node verify.cjs proofs proofs/ keys.txt');
    expect(readme).toContain('0 records without a proof.');
    expect(await verify(await unpack(files))).toEqual({
      code: 0,
      out: 'ok    451 of 451 proofs hold, 450 of them in the root log too\n',
      err: '',
    });
  });

  it('is checked whole in one command, which names what was altered, renamed or is no proof', async () => {
    const project = await makeProject();
    const [first = '', second = '', third = ''] = await store(project, 3);
    await steps.seal(project.id);
    const files = await exported(project);
    const proofOf = (id: string): string => files.get(`proofs/${id}.tlog-proof`)?.toString() ?? '';
    const tampered = proofOf(first).replace('index 0', 'index 1');
    files.set(`proofs/${first}.tlog-proof`, Buffer.from(tampered));
    files.set(`proofs/${second}.tlog-proof`, Buffer.from(proofOf(third)));
    files.set('proofs/another.tlog-proof', Buffer.from('nothing'));
    const { code, out, err } = await verify(await unpack(files));
    expect({ code, out }).toEqual({
      code: 1,
      out: 'ok    1 of 4 proofs hold, 0 of them in the root log too\n',
    });
    expect(err.trimEnd().split('\n').toSorted()).toEqual(
      [
        `WRONG ${first}.tlog-proof tree: path: the path does not lead from the entry to the signed root`,
        `WRONG ${second}.tlog-proof file: it is the proof of ${third}`,
        'WRONG another.tlog-proof file: this is no proof',
      ].toSorted(),
    );
    expect(await verify(await unpack(new Map([['proofs/readme', Buffer.from('')]])))).toMatchObject({
      code: 1,
      err: 'WRONG folder: proofs/ has no file that ends in .tlog-proof\n',
    });
  });

  it('lists the records that have none, with the reason, and goes on', async () => {
    const project = await makeProject();
    const [older = '', changed = '', whole = ''] = await store(project, 3);
    await steps.seal(project.id);
    // Received before the log began: it has no leaf, and never gets one.
    await service.database.query('delete from evidence_leaf where consent_id = $1', [older]);
    await service.database.query(
      `update consent_record set received_at = received_at - interval '1 year' where id = $1`,
      [older],
    );
    await service.database.query('update consent_record set marketing = true where id = $1', [changed]);
    const [waiting = ''] = await store(project, 1);
    const told = async (id: string): Promise<string> => {
      const answer = await project.request('viewer', 'GET', `/consents/${id}`);
      return ((await answer.json()) as { evidence: { status: string } }).evidence.status;
    };
    expect(await Promise.all([older, whole, waiting].map(told))).toEqual(['never', 'sealed', 'pending']);
    const files = await exported(project, `&to=${new Date(Date.now() + 60_000).toISOString()}`);
    expect([...files.keys()].slice(1)).toEqual([`proofs/${whole}.tlog-proof`, 'README.txt']);
    const [, list = ''] = files.get('README.txt')?.toString().split('3 records without a proof:\n') ?? [];
    expect(list.trim().split('\n\n')).toEqual([
      `The record is older than its project's log.\n  ${older}`,
      expect.stringMatching(
        new RegExp(`^The record has changed since it was added to the log.*\n  ${changed}$`),
      ),
      expect.stringMatching(new RegExp(`^Not in the log yet when this file was created.*\n  ${waiting}$`)),
    ]);
  });

  it('keeps to the filters, and to the tier', async () => {
    const project = await makeProject();
    const ids = await store(project, 4);
    await steps.seal(project.id);
    const files = await exported(project, '&preferences=true');
    expect([...files.keys()].slice(1, -1)).toEqual([ids[1], ids[3]].map((id) => `proofs/${id}.tlog-proof`));
    const lite = await createTestProject(service, { tier: 'lite' });
    expect(await refusal(lite.request('viewer', 'GET', PROOFS))).toMatchObject({
      status: 403,
      code: 'tier_required',
    });
  });

  it('is of CSV alone, and of so many records as one file shall have', async () => {
    const project = await makeProject();
    expect(
      await refusal(project.request('viewer', 'GET', '/consents/export?format=pdf&proofs=1')),
    ).toMatchObject({
      status: 422,
      errors: [{ field: 'proofs', message: 'proofs requires format=csv.' }],
    });
    expect(
      await refusal(project.request('viewer', 'GET', '/consents/export?format=csv&proofs=yes')),
    ).toMatchObject({ status: 422, errors: [{ field: 'proofs' }] });
    await service.database.query(
      `insert into consent_record (project_id, id, analytics, marketing, preferences, action)
       select $1, uuidv7(), true, true, true, 'accept_all' from generate_series(1, 50001)`,
      [project.id],
    );
    expect(await refusal(project.request('viewer', 'GET', PROOFS))).toMatchObject({
      status: 422,
      detail: 'A file with proofs can contain up to 50000 records, but 50001 match. Choose a shorter period.',
    });
  });

  it('stops to read when the client goes away, and gives its place back', async () => {
    const project = await makeProject();
    await store(project, 10_000);
    await steps.seal(project.id);
    const storage = service.app.get(LogStorage, { strict: false });
    let reads = 0;
    const readTile = storage.readTile.bind(storage);
    storage.readTile = (...asked) => {
      reads += 1;
      return readTile(...asked);
    };
    await new Promise<void>((done, fail) => {
      const request = httpRequest(`${service.baseUrl}/v1/projects/${project.id}${PROOFS}`, {
        headers: { authorization: `Bearer ${project.keys.viewer}` },
      });
      request.on('response', (response) => {
        let bytes = 0;
        // Behind the CSV, which is less.
        response.on('data', (piece: Buffer) => {
          bytes += piece.length;
          if (bytes > 3_000_000) response.destroy();
        });
        response.on('close', () => done()).on('error', () => undefined);
      });
      request.on('error', fail);
      request.end();
    });
    expect(reads).toBeGreaterThan(0);
    await until('a place is free again', async () => {
      const response = await project.request('viewer', 'GET', `${PROOFS}&to=2001-01-01`);
      await response.arrayBuffer();
      return response.status === 200;
    });
    // 10,000 records lie in 40 tiles.
    expect(reads).toBeLessThan(30);
    // Read to the end, each of them is read once.
    reads = 0;
    expect((await exported(project)).size).toBe(10_002);
    expect(reads).toBeLessThanOrEqual(42);
  });

  it('is refused where nothing is sealed at all', async () => {
    const off = await startTestService({ EVIDENCE_KEYS: '' });
    try {
      const project = await createTestProject(off, { tier: 'pro' });
      expect(await refusal(project.request('viewer', 'GET', PROOFS))).toMatchObject({
        status: 409,
        code: 'consent_not_sealed',
        detail: 'Proofs are turned off on this server.',
      });
    } finally {
      await off.close();
    }
  });
});

describe('a proof as a PDF', () => {
  const TEXT = {
    language: 'de',
    title: 'Ihre „Wahl“',
    description: 'Dürfen wir? Да 茶',
    acceptAll: 'Ja',
    rejectAll: 'Nein',
    choose: 'Wählen',
    save: 'Speichern',
    categories: [{ key: 'analytics', title: 'Statistik', description: 'Wir zählen – ohne Namen.' }],
  };

  /** Its text without line breaks, and the document. */
  const read = async (response: Response) => {
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('application/pdf');
    const bytes = Buffer.from(await response.arrayBuffer());
    const document = await getDocumentProxy(new Uint8Array(bytes));
    const { text } = await extractText(document, { mergePages: true });
    return { document, text: text.replaceAll(/\s+/g, ' ') };
  };
  const pdf = (project: TestProject, id: string): Promise<Response> =>
    project.request('viewer', 'GET', `/consents/${id}/proof?format=pdf`);

  it('tells people what was stored, what was shown, where it is sealed, and how that is checked', async () => {
    const project = await makeProject();
    const saved = await project.request('editor', 'PUT', '/configuration', {
      texts: [{ ...TEXT, language: 'en', title: 'Your choice' }, TEXT],
      defaultLanguage: 'en',
      policyVersion: '7',
      categories: ['analytics'],
    });
    expect(saved.status).toBe(200);
    await service.app.get(PublishSite, { strict: false }).publish(project.id);
    const { items } = (await (await project.request('viewer', 'GET', '/publications')).json()) as {
      items: { configHash: string }[];
    };
    const configHash = items[0]?.configHash ?? '';
    expect(configHash).toMatch(/^[0-9a-f]{64}$/);
    const stored = await project.request('viewer', 'POST', '/consents', {
      analytics: true,
      marketing: false,
      preferences: false,
      action: 'custom',
      configHash,
      language: 'de',
      surface: 'preferences',
      hostname: 'www.example.com',
      note: 'näher',
    });
    const { id, receivedAt } = (await stored.json()) as { id: string; receivedAt: string };
    expect((await pdf(project, id)).status).toBe(202);
    await steps.seal(project.id);
    await inRootLog(project, id);
    const response = await pdf(project, id);
    expect(response.headers.get('content-disposition')).toBe(`attachment; filename=consent-${id}.pdf`);
    const { document, text } = await read(response);
    expect(document.numPages).toBeLessThanOrEqual(2);
    // For screen readers: its tags, its language, its title.
    expect(await document.getMarkInfo()).toMatchObject({ Marked: true });
    const tree = JSON.stringify(await (await document.getPage(1)).getStructTree());
    expect(tree.match(/"role":"(H1|H2)"/g)?.slice(0, 2)).toEqual(['"role":"H1"', '"role":"H2"']);
    expect(await document.getMetadata()).toMatchObject({
      info: { Title: `Proof of the consent record ${id}`, Language: 'en' },
    });
    for (const fact of [
      id,
      project.id,
      receivedAt,
      'www.example.com',
      configHash,
      'note näher',
      'a visitor of www.example.com allowed Analytics and refused Marketing and Preferences.',
      'Analytics Allowed',
      'Marketing Refused',
      'Verified: unchanged since',
      '“Speichern”, details of the banner',
      'The website recorded this choice with its own code',
      'Language German Title Ihre „Wahl“ Text Dürfen wir? Да ?',
      'Ja · Nein · Wählen · Speichern',
      'Analytics Statistik: Wir zählen – ohne Namen.',
      'A ? replaces characters that the font of this page lacks',
      'Log entry 0 of 1 (the first is 0)',
      `/.well-known/consent-log-keys`,
      `node verify.cjs proof consent-${id}.tlog-proof keys.txt`,
    ])
      // Long hashes and ids are broken.
      expect(text.replaceAll(' ', '')).toContain(fact.replaceAll(' ', ''));
    // The very hashes of the proof, and the keys that are published.
    const proof = await (await project.request('viewer', 'GET', `/consents/${id}/proof`)).text();
    const keys = await (await fetch(`${service.baseUrl}/.well-known/consent-log-keys`)).text();
    const [, root = ''] = /^\d+\n(\S{44})$/m.exec(proof) ?? [];
    expect(text).toContain(`Root ${root}`);
    const [, key = ''] = /^([^#+]+\+[0-9a-f]{8})\+/m.exec(keys) ?? [];
    expect(text).toContain(`Signed by ${key}`);
    expect(text).toContain('/log, entry');
  });

  it('says so where it is not known what was shown, and where the log of all is behind', async () => {
    const project = await makeProject();
    const [untold = ''] = await store(project, 1);
    const unknown = await project.request('viewer', 'POST', '/consents', {
      analytics: true,
      marketing: false,
      preferences: false,
      action: 'custom',
      configHash: 'a'.repeat(64),
    });
    const { id } = (await unknown.json()) as { id: string };
    await steps.seal(project.id);
    const { text } = await read(await pdf(project, untold));
    expect(text).toContain('The record has no configuration hash, so the banner is unknown.');
    expect(text).toContain('Root log Did not cover this entry yet');
    expect((await read(await pdf(project, id))).text).toContain(
      'The project has not published a configuration with the record’s hash.',
    );
  });

  it('is in the language and the time zone that it is asked for in, and names who made it', async () => {
    const project = await makeProject();
    const [id = ''] = await store(project, 1);
    await steps.seal(project.id);
    const path = `/consents/${id}/proof?format=pdf&language=de&timeZone=Asia/Tokyo`;
    const { document, text } = await read(await project.request('viewer', 'GET', path));
    expect(await document.getMetadata()).toMatchObject({ info: { Language: 'de' } });
    expect(text).toContain('Nachweis einer Einwilligungsentscheidung');
    expect(text).toMatch(/Ortszeit \w+, .* Uhr \(GMT\+9\) UTC/);
    expect(text).toMatch(/Statistik (Erlaubt|Abgelehnt)/);
    const problem = await refusal(
      project.request('viewer', 'GET', `${path}&language=xx`.replace('&language=de', '')),
    );
    expect(problem).toMatchObject({ status: 422, errors: [{ field: 'language' }] });
  });

  it('is of an erasure where the record is gone', async () => {
    const project = await makeProject();
    const [id = ''] = await store(project, 1);
    await steps.seal(project.id);
    const erased = await project.request('owner', 'DELETE', `/consents/${id}`, { reason: 'ticket 7' });
    expect(erased.status).toBe(204);
    await steps.seal(project.id);
    const { text } = await read(await pdf(project, id));
    expect(text).toContain(`Proof of an erasure On `);
    expect(text.replaceAll('- ', '-')).toContain(`the consent record ${id} was erased.`);
    expect(text).not.toContain('What the visitor saw');
  });

  it('is asked for by its name', async () => {
    const project = await makeProject();
    const [id = ''] = await store(project, 1);
    expect(await refusal(project.request('viewer', 'GET', `/consents/${id}/proof?format=doc`))).toMatchObject(
      {
        status: 422,
        errors: [{ field: 'format' }],
      },
    );
  });
});
