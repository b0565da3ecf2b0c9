import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { approveDevice } from '../support/people/personal-token.js';
import { createTestProject, type TestProject } from '../support/people/project.js';
import { BEHIND_LOOPBACK_PROXY, signUp, type TestUser } from '../support/people/user.js';
import { startTestService, type TestService } from '../support/programs/service.js';
import { until } from '../support/until.js';

const CLI = resolve('packages/cli/dist/main.js');

interface Started {
  out(): string;
  err(): string;
  ended: Promise<number | null>;
}

let service: TestService;
let project: TestProject;
let user: TestUser;
let home: string;

beforeAll(async () => {
  execFileSync(process.execPath, ['scripts/build-packages.mjs'], { stdio: 'pipe' });
  service = await startTestService(BEHIND_LOOPBACK_PROXY);
});
afterAll(() => service?.close());

beforeEach(async () => {
  [project, user] = await Promise.all([createTestProject(service, { name: 'Tea' }), signUp(service)]);
  await service.database.query(
    `insert into project_member (project_id, user_id, role) values ($1, $2, 'editor')`,
    [project.id, user.id],
  );
  home = mkdtempSync(join(tmpdir(), 'consent-home-'));
  return () => rmSync(home, { recursive: true });
});

function start(args: string[], environment: Record<string, string> = {}): Started {
  const env = { PATH: process.env['PATH'] ?? '', HOME: home, ...environment };
  const child = spawn(process.execPath, [CLI, ...args], { env });
  const [out, err]: [string[], string[]] = [[], []];
  child.stdout.on('data', (chunk: Buffer) => out.push(chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => err.push(chunk.toString()));
  const ended = new Promise<number | null>((done) => child.once('close', (code) => done(code)));
  return { out: () => out.join(''), err: () => err.join(''), ended };
}

async function run(
  ...args: Parameters<typeof start>
): Promise<{ code: number | null; out: string; err: string }> {
  const started = start(...args);
  return { code: await started.ended, out: started.out(), err: started.err() };
}

const file = (): string => join(home, '.config', 'consent', 'credentials.json');

async function login(decide: (userCode: string) => Promise<Response>): Promise<Started> {
  const started = start(['login', '--url', service.baseUrl]);
  const code = await until('a code', () => /\?code=([A-Z]{4}-[A-Z]{4})/.exec(started.err())?.[1]);
  expect((await decide(code)).status).toBe(204);
  await started.ended;
  return started;
}

describe('consent login', () => {
  it('saves a token that only its owner reads; whoami and the other commands use it until logout', async () => {
    const started = await login((code) => approveDevice(user, code));
    expect([await started.ended, started.out()]).toEqual([0, expect.stringContaining(user.email)]);
    expect(statSync(file()).mode & 0o777).toBe(0o600);
    expect(statSync(join(home, '.config', 'consent')).mode & 0o777).toBe(0o700);
    const { tokens } = JSON.parse(readFileSync(file(), 'utf8')) as { tokens: Record<string, string> };
    const token = tokens[service.baseUrl] ?? '';
    expect(token).toMatch(/^cp_/);
    expect(started.out() + started.err()).not.toContain(token);
    const me = await run(['whoami']);
    expect([me.code, me.out]).toEqual([
      0,
      expect.stringMatching(/signed in until \d{4}-\d\d-\d\d\n[^]*Tea .*editor/),
    ]);
    expect(me.out).toContain(user.email);
    const key = await run(['whoami'], { CONSENT_API_KEY: project.keys.viewer });
    expect(key.out).toMatch(/^API key /);
    expect((await run(['trigger', 'scan.finished'])).code).toBe(0);
    expect(await run(['logout'])).toMatchObject({ code: 0, out: `Signed out of ${service.baseUrl}.\n` });
    expect(readFileSync(file(), 'utf8')).not.toContain('cp_');
    const after = await fetch(`${service.baseUrl}/v1/me`, { headers: { authorization: `Bearer ${token}` } });
    expect(after.status).toBe(401);
    expect(await run(['whoami', '--url', service.baseUrl])).toMatchObject({
      code: 1,
      err: expect.stringContaining('Run consent login'),
    });
  });

  it('saves nothing when it is denied', async () => {
    const started = await login((userCode) => user.request('POST', '/v1/auth/device/deny', { userCode }));
    expect([await started.ended, started.err()]).toEqual([1, expect.stringContaining('was denied')]);
    expect(() => statSync(file())).toThrow(/ENOENT/);
  });

  it('forgets a token that was revoked elsewhere', async () => {
    await login((code) => approveDevice(user, code));
    await service.database.query('delete from personal_token where user_id = $1', [user.id]);
    expect(await run(['whoami'])).toMatchObject({ code: 1 });
    expect(await run(['logout'])).toMatchObject({ code: 0 });
    expect(readFileSync(file(), 'utf8')).not.toContain('cp_');
    expect((await run(['logout', '--url', service.baseUrl])).out).toContain('Not signed in');
  });
});
