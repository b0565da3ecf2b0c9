import { execFile, execFileSync } from 'node:child_process';
import { createServer, type Server } from 'node:http';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { pinHorizon } from '../support/database/evidence-steps.js';
import { createTestProject, type TestProject } from '../support/people/project.js';
import { writeSubscription } from '../support/people/subscription.js';
import { choose } from '../support/programs/pipeline.js';
import { startTestService, type TestService } from '../support/programs/service.js';
import { until } from '../support/until.js';

const run = promisify(execFile);
const CLI = resolve('packages/cli/dist/main.js');

interface Ended {
  code: number;
  out: string;
  err: string;
}

let service: TestService;
let project: TestProject;
let folder: string;

beforeAll(async () => {
  execFileSync(process.execPath, ['scripts/build-packages.mjs'], { stdio: 'pipe' });
  service = await startTestService({
    RUN_WORKER: 'true',
    EVIDENCE_KEYS: `e1:${randomBytes(32).toString('base64')}`,
    EVIDENCE_SEAL_SECONDS: '1',
  });
});
afterAll(() => service?.close());

beforeEach(async () => {
  project = await createTestProject(service, { name: 'Tea & Töpfe', domains: ['www.example.com'] });
  await writeSubscription(service, project.id, { tier: 'business' });
  folder = mkdtempSync(join(tmpdir(), 'consent-cli-'));
  return () => rmSync(folder, { recursive: true });
});

/** Runs the command line in the folder, with nothing of this process's environment. */
async function consent(args: string[], environment: Record<string, string> = {}): Promise<Ended> {
  const env = {
    PATH: process.env['PATH'] ?? '',
    CONSENT_URL: service.baseUrl,
    CONSENT_API_KEY: project.keys.owner,
    ...environment,
  };
  try {
    const { stdout, stderr } = await run(process.execPath, [CLI, ...args], { cwd: folder, env });
    return { code: 0, out: stdout, err: stderr };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    return { code, out: stdout, err: stderr };
  }
}

const at = (name: string): string => join(folder, 'consent', 'tea-topfe', name);
const read = (name: string): Record<string, unknown> =>
  JSON.parse(readFileSync(at(name), 'utf8')) as Record<string, unknown>;

function edit(name: string, members: Record<string, unknown>): void {
  writeFileSync(at(name), JSON.stringify({ ...read(name), ...members }));
}

async function saved(path: string): Promise<Record<string, unknown>> {
  return (await (await project.request('viewer', 'GET', path)).json()) as Record<string, unknown>;
}

describe('configuration as files', () => {
  it('is pulled without secrets, valid, and then nothing is to change', async () => {
    const rules = [{ regions: ['US'], preset: { id: 'us' } }];
    await project.request('editor', 'PUT', '/configuration', {
      banner: { enabled: true, accent: '#1a5f7a' },
      regionRules: rules,
      services: [{ name: 'Maps', provider: 'Maps Ltd', category: 'preferences' }],
    });
    await project.request('editor', 'PUT', '/forwarding', {
      enabled: true,
      endpointUrl: 'https://receiver.example.com/a',
      authMode: 'bearer',
      bearerToken: 't'.repeat(43),
    });
    expect(await consent(['pull'])).toMatchObject({ code: 0, out: 'Wrote 1 project to consent.\n' });
    expect(readdirSync(at('')).toSorted()).toEqual([
      'configuration.json',
      'events.json',
      'forwarding.json',
      'privacy.json',
      'project.json',
      'scan-schedule.json',
    ]);
    expect(readFileSync(at('forwarding.json'), 'utf8')).not.toContain('ttt');
    const { $schema } = read('configuration.json');
    expect($schema).toBe(`${service.baseUrl}/docs/schemas/configuration.json`);
    const schema = await fetch(String($schema));
    expect([schema.status, schema.headers.get('content-type')]).toEqual([
      200,
      'application/json; charset=utf-8',
    ]);
    expect(await consent(['validate'], { CONSENT_URL: '', CONSENT_API_KEY: '' })).toMatchObject({ code: 0 });
    expect(await consent(['plan'])).toMatchObject({ code: 0, out: 'Nothing to change.\n' });
    expect(await consent(['apply', '--publish', '--yes'])).toMatchObject({
      code: 0,
      out: expect.stringContaining('Nothing was changed.'),
    });
  });

  it('is planned, and applied as planned; a second time changes nothing', async () => {
    await consent(['pull']);
    edit('privacy.json', { visitorReferenceField: 'customer' });
    edit('scan-schedule.json', { frequency: 'weekly' });
    edit('configuration.json', { policyVersion: '2027-01' });
    const planned = await consent(['plan', '--publish']);
    expect(planned.code).toBe(2);
    expect(planned.out).toContain('+ visitorReferenceField: customer');
    expect(planned.out).toContain('~ frequency: off → weekly');
    expect(planned.out).toContain('~ policyVersion: 1 → 2027-01');
    expect(await saved('/privacy')).toMatchObject({ visitorReferenceField: null });
    expect(await consent(['apply', '--publish'])).toMatchObject({
      code: 1,
      err: expect.stringContaining('--yes'),
    });
    expect(await saved('/privacy')).toMatchObject({ visitorReferenceField: null });
    expect(await consent(['apply', '--publish', '--yes'])).toMatchObject({ code: 0 });
    expect(await saved('/privacy')).toMatchObject({ visitorReferenceField: 'customer' });
    expect(await saved('/scan-schedule')).toMatchObject({ frequency: 'weekly' });
    expect(await saved('/configuration')).toMatchObject({ policyVersion: '2027-01', version: 1 });
    expect(await consent(['apply', '--publish', '--yes'])).toMatchObject({ code: 0 });
    expect(await saved('/configuration')).toMatchObject({ version: 1 });
  });

  it('has event endpoints, named by their address', async () => {
    const url = 'https://hooks.example.com/events';
    await consent(['pull']);
    edit('events.json', { endpoints: [{ url, eventTypes: ['scan.finished'] }] });
    expect(await consent(['plan'])).toMatchObject({
      code: 2,
      out: expect.stringContaining(`+ ${url}: endpoint`),
    });
    const created = await consent(['apply', '--yes']);
    expect([created.code, created.err]).toEqual([0, expect.stringContaining('Rotate it in the dashboard')]);
    expect(created.out + created.err).not.toContain('whsec_');
    expect(await consent(['plan'])).toMatchObject({ code: 0 });
    edit('events.json', { endpoints: [{ url, eventTypes: ['tier.changed'], description: 'Chat' }] });
    expect(await consent(['apply', '--yes'])).toMatchObject({ code: 0 });
    const items = (): Promise<unknown> => saved('/event-endpoints').then((page) => page['items']);
    expect(await items()).toMatchObject([{ url, eventTypes: ['tier.changed'], description: 'Chat' }]);
    edit('events.json', { endpoints: [] });
    expect(await consent(['apply', '--yes'])).toMatchObject({ code: 0 });
    expect(await items()).toEqual([]);
  });

  it('is saved as a draft, published from it, and rolled back', async () => {
    await project.request('editor', 'PUT', '/configuration', { policyVersion: '1' });
    await until('it is published', async () => ((await saved('/publications'))['items'] as unknown[])[0]);
    await consent(['pull']);
    edit('configuration.json', { policyVersion: '2' });
    await consent(['apply', '--yes']);
    expect(await saved('/configuration')).toMatchObject({ policyVersion: '1' });
    expect(await saved('/configuration/draft')).toMatchObject({ configuration: { policyVersion: '2' } });
    expect(await consent(['plan'])).toMatchObject({
      code: 0,
      out: expect.stringContaining('waits to be published'),
    });
    expect(await consent(['publish', '-m', 'New policy'])).toMatchObject({ code: 0 });
    expect(await saved('/configuration')).toMatchObject({ policyVersion: '2' });
    expect(await consent(['publish'])).toMatchObject({ code: 1, err: expect.stringContaining('no draft') });
    await until('both are in the history', async () => {
      const { out } = await consent(['history']);
      return /\n2 .*New policy\n1 /.test(out);
    });
    expect(await consent(['roll-back', '1'])).toMatchObject({ code: 0 });
    expect(await saved('/configuration')).toMatchObject({ policyVersion: '1' });
  });

  it('refuses a project that was changed between plan and apply, and names it', async () => {
    await consent(['pull']);
    edit('privacy.json', { visitorReferenceField: 'customer' });
    const between = await startChanger('/privacy', async () => {
      await project.request('owner', 'PUT', '/privacy', {
        visitorReferenceField: 'other',
        visitorReferenceHashed: false,
      });
    });
    const { code, err } = await consent(['apply', '--yes'], { CONSENT_URL: between.url });
    await between.close();
    expect([code, err]).toEqual([1, expect.stringMatching(/Tea & Töpfe: Someone else changed this/)]);
    expect(await saved('/privacy')).toMatchObject({ visitorReferenceField: 'other' });
  });

  it('names what is wrong in a file, and changes nothing', async () => {
    await consent(['pull']);
    edit('scan-schedule.json', { frequency: 'hourly' });
    edit('privacy.json', { visitorReference: 'x' });
    const { code, out } = await consent(['validate']);
    expect(code).toBe(1);
    expect(out).toContain('scan-schedule.json: frequency must be equal to one of the allowed values');
    expect(out).toContain('privacy.json: visitorReference is not known');
    expect(await consent(['apply', '--yes'])).toMatchObject({ code: 1 });
    writeFileSync(at('privacy.json'), '{');
    expect((await consent(['validate'])).out).toContain('privacy.json is not JSON');
  });

  it('leaves alone what has no file, and members that a file of settings leaves out', async () => {
    await consent(['pull']);
    rmSync(at('privacy.json'));
    await project.request('owner', 'PUT', '/privacy', {
      visitorReferenceField: 'kept',
      visitorReferenceHashed: false,
    });
    writeFileSync(at('forwarding.json'), JSON.stringify({ enabled: false }));
    expect(await consent(['apply', '--yes'])).toMatchObject({ code: 0 });
    expect(await saved('/privacy')).toMatchObject({ visitorReferenceField: 'kept' });
  });
});

describe('the other commands', () => {
  it('say what is wrong and what to do', async () => {
    const said = async (args: string[], environment: Record<string, string>): Promise<string> => {
      const { code, err } = await consent(args, environment);
      expect(code).toBe(1);
      expect(err).not.toContain('    at ');
      return err;
    };
    expect(await said(['whoami'], { CONSENT_URL: '' })).toContain('CONSENT_URL');
    expect(await said(['whoami'], { CONSENT_API_KEY: '' })).toContain('CONSENT_API_KEY');
    expect(await said(['whoami'], { CONSENT_URL: 'http://127.0.0.1:9' })).toContain('cannot be reached');
    expect(await said(['whoami'], { CONSENT_API_KEY: 'ck_wrong' })).toMatch(/request \S+\)/);
    expect(await said(['history', '-p', 'nobody'], {})).toContain('No project "nobody"');
    expect(await said(['plan'], {})).toContain('consent pull');
    expect(await said(['nonsense'], {})).toContain("unknown command 'nonsense'");
    const { code, out } = await consent(['whoami', '--json'], { CONSENT_API_KEY: 'ck_wrong' });
    expect([code, JSON.parse(out)]).toEqual([
      1,
      { error: { code: 'authentication_required', message: expect.any(String) } },
    ]);
  });

  it('list, export and resend', async () => {
    const { id } = await choose(service, project.id);
    expect((await consent(['whoami'])).out).toMatch(/Tea & Töpfe .*owner .*business/);
    expect((await consent(['records', 'export'])).out).toContain(id);
    expect(await consent(['records', 'export', '-o', 'records.csv'])).toMatchObject({ code: 0, out: '' });
    expect(readFileSync(join(folder, 'records.csv'), 'utf8')).toContain(id);
    expect(await consent(['records', 'export', '--format', 'xml'])).toMatchObject({
      code: 1,
      err: expect.stringContaining('format'),
    });
    expect((await consent(['deliveries', 'list', '--json'])).out).toBe('[]\n');
    expect(
      await consent(['deliveries', 'resend', '--from', '2020-01-01', '--to', '2020-01-02']),
    ).toMatchObject({ code: 0, out: 'No record to send again.\n' });
    expect(await consent(['scan', 'start'])).toMatchObject({
      code: 1,
      err: expect.stringContaining('scanner'),
    });
  });

  it('get a proof, and verify it without the service', async () => {
    const release = pinHorizon(service);
    const { id } = await choose(service, project.id);
    await release();
    const proof = join(folder, 'record.tlog-proof');
    await until(
      'the record is proved',
      async () => (await consent(['proof', 'get', id, '-o', proof])).code === 0,
      20_000,
    );
    const keys = await fetch(`${service.baseUrl}/.well-known/consent-log-keys`);
    writeFileSync(join(folder, 'keys'), await keys.text());
    const offline = { CONSENT_URL: '', CONSENT_API_KEY: '' };
    const valid = await consent(['proof', 'verify', proof, '--keys', 'keys'], offline);
    expect([valid.code, valid.out]).toEqual([0, expect.stringContaining(id)]);
    writeFileSync(proof, readFileSync(proof, 'utf8').replace(/^index 0$/m, 'index 1'));
    const altered = await consent(['proof', 'verify', proof, '--keys', 'keys'], offline);
    expect([altered.code, altered.out]).toEqual([1, expect.stringContaining('Not valid.')]);
  });

  it.each(['bash', 'zsh', 'fish'])('complete in %s', async (shell) => {
    const { code, out } = await consent(['completion', shell]);
    expect(code).toBe(0);
    expect(out).toContain('roll-back');
    if (shell === 'bash') execFileSync('bash', ['-n'], { input: out });
  });
});

/** Passes requests on to the service, after a change before the first PUT of a path. */
async function startChanger(
  path: string,
  change: () => Promise<void>,
): Promise<{ url: string; close: () => Promise<void> }> {
  const server: Server = createServer((request, response) => {
    void (async () => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      if (request.method === 'PUT' && request.url?.endsWith(path)) await change();
      const { authorization = '', 'content-type': type = '', 'if-match': ifMatch } = request.headers;
      const answer = await fetch(`${service.baseUrl}${request.url}`, {
        method: request.method ?? 'GET',
        headers: {
          authorization,
          ...(type && { 'content-type': type }),
          ...(ifMatch && { 'if-match': ifMatch }),
        },
        ...(chunks.length > 0 && { body: Buffer.concat(chunks) }),
      });
      response.writeHead(answer.status, {
        'content-type': answer.headers.get('content-type') ?? '',
        ...(answer.headers.has('etag') && { etag: answer.headers.get('etag') ?? '' }),
      });
      response.end(Buffer.from(await answer.arrayBuffer()));
    })();
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}
