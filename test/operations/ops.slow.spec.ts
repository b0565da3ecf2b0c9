import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { TokenVault } from '../../src/modules/forwarding/infrastructure/secret.rows.js';
import { newId } from '../../src/platform/identity/ids.js';
import { storeConsent } from '../support/people/consent.js';
import { createOrganization } from '../support/people/organization.js';
import { createTestProject } from '../support/people/project.js';
import { BEHIND_LOOPBACK_PROXY, signUp } from '../support/people/user.js';
import { type Outcome, runProgram } from '../support/programs/run-ops.js';
import { startTestService, type TestService } from '../support/programs/service.js';

const COMMANDS = [
  'migrate',
  'outbox dead',
  'outbox retry',
  'sites publish',
  'billing events',
  'billing replay',
  'billing grant',
  'billing revoke',
  'secrets list',
  'secrets re-encrypt',
  'mail test',
  'audit list',
  'erasures list',
  'erasures reapply',
  'account create',
  'account confirm',
  'account reset-password',
  'account drop-second-factor',
  'account make-admin',
];
const UNKNOWN = '00000000-0000-7000-8000-000000000000';

const keyOf = (id: string): string => `${id}:${randomBytes(32).toString('base64')}`;
const FIRST = keyOf('k1');
const SECOND = keyOf('k2');

let service: TestService;

beforeAll(async () => {
  service = await startTestService({ ...BEHIND_LOOPBACK_PROXY, SECRET_KEYS: FIRST });
});
afterAll(() => service.close());

const environment = (secretKeys: string): NodeJS.ProcessEnv => ({
  DATABASE_URL: service.database.url,
  PUBLIC_BASE_URL: 'https://consent.example.com',
  AUTH_SECRET: 'a'.repeat(32),
  SECRET_KEYS: secretKeys,
});
const ops = (args: string, secretKeys = FIRST): Promise<Outcome> =>
  runProgram('ops', args === '' ? [] : args.split(' '), environment(secretKeys));

describe('npm run ops', () => {
  it.each(['--help', 'help', '-h'])(
    '%s lists every command, without settings or a database',
    async (help) => {
      const { code, out, err } = await runProgram('ops', [help], {});
      expect({ code, err }).toEqual({ code: 0, err: '' });
      for (const name of COMMANDS) expect(out).toContain(`  ${name}`);
    },
  );

  it.each(COMMANDS)('%s --help says how it is used', async (name) => {
    const { code, out, err } = await runProgram('ops', [...name.split(' '), '--help'], {});
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toMatch(new RegExp(`^Usage: npm run ops -- ${name}.*\\n\\n  \\S`));
    expect(out.split('\n')).toHaveLength(4);
  });

  it('demo records fills nothing in production', async () => {
    expect(await ops('demo records')).toEqual({
      code: 1,
      out: '',
      err: 'The demo is not available in production.\n',
    });
    expect(await service.database.query('select id from project where demo')).toEqual([]);
  });

  it.each([
    ['', 'Specify a command.'],
    ['nonsense', 'Unknown command "nonsense".'],
    ['billing nonsense', 'Unknown command "billing nonsense".'],
    ['outbox dead --odd', "Unknown option '--odd'."],
    ['migrate now', 'Unexpected argument: now.'],
    ['outbox dead more', 'Unexpected argument: more.'],
    ['outbox retry', 'Specify the id of a dead letter or --all.'],
    ['outbox retry x', '"x" is not the id of a dead letter: it must be a number.'],
    ['outbox retry 1 2', 'Unexpected argument: 2.'],
    ['outbox retry 1 --all', 'Specify the id of a dead letter or --all, not both.'],
    ['sites publish', 'Specify the id of a project or --all.'],
    ['sites publish x', '"x" is not the id of a project: it must be a UUID.'],
    ['billing events --status odd', '--status must be one of dead, pending, processed, ignored.'],
    ['erasures list', 'Specify an instant with --since.'],
    ['erasures list --since now', '--since must be an ISO 8601 instant, e.g. 2026-11-20.'],
    ['erasures reapply file', 'Unexpected argument: file.'],
    ['audit list', 'Specify the id of a project, or --service.'],
    [`audit list ${UNKNOWN} --service`, 'Specify the id of a project, or --service.'],
    ['audit list x', '"x" is not the id of a project: it must be a UUID.'],
    [`audit list ${UNKNOWN} --before now`, '--before must be an ISO 8601 instant, e.g. 2026-11-20.'],
    ['billing replay', 'Specify the id of an event.'],
    ['mail test', 'Specify the address to send the test email to.'],
    ['account create', 'Specify the email address of the account.'],
    ['account confirm nobody', 'Specify the email address of the account.'],
    ['account create a@example.com b', 'Unexpected argument: b.'],
    ['account make-admin a@example.com', 'Specify the id of the organization with --organization.'],
    [
      'account make-admin a@example.com --organization x',
      '--organization must be the id of an organization.',
    ],
    ['mail test nobody', 'Specify the address to send the test email to.'],
    [`billing grant ${UNKNOWN}`, 'Specify a tier after the project: pro, business, enterprise.'],
    [`billing grant ${UNKNOWN} pro`, 'Specify the end of the grant with --until.'],
    [`billing grant ${UNKNOWN} pro --until soon`, '--until must be an ISO 8601 instant, e.g. 2027-12-31.'],
    [`billing grant ${UNKNOWN} pro --until 2020-01-01`, '--until must be in the future.'],
    [`billing grant ${UNKNOWN} pro --until 2090-01-01 --by op`, 'Specify the reason with --reason.'],
    [`billing revoke ${UNKNOWN} --reason r`, 'Specify the name of the operator with --by.'],
    [`billing revoke ${UNKNOWN} --reason`, "Option '--reason <value>' argument missing."],
  ])('"%s" is one sentence and exit code 2', async (args, sentence) => {
    const { code, out, err } = await ops(args);
    expect({ code, out, err }).toEqual({
      code: 2,
      out: '',
      err: `${sentence} Run "npm run ops -- --help" for a list of commands.\n`,
    });
  });

  it.each([
    ['account confirm nobody@example.com', 'No account with this address.'],
    ['account reset-password nobody@example.com', 'No account with this address.'],
    [`account make-admin nobody@example.com --organization ${UNKNOWN}`, 'No account with this address.'],
    ['outbox retry 1', 'Dead letter 1 not found.'],
    ['outbox retry 1 --dry-run', 'Dead letter 1 not found.'],
    [`sites publish ${UNKNOWN}`, 'Project not found.'],
    [
      'billing replay evt_none',
      'Event not found, or it cannot be replayed: it was ignored, or its payload was dropped.',
    ],
    [`billing grant ${UNKNOWN} pro --until 2090-01-01 --reason r --by op`, 'Project not found.'],
    [`billing revoke ${UNKNOWN} --reason r --by op`, 'Project not found, or it has no granted tier.'],
  ])('"%s" is about nothing that is there: exit code 1', async (args, sentence) => {
    expect(await ops(args)).toEqual({ code: 1, out: '', err: `${sentence}\n` });
  });
});

describe('erasures', () => {
  it('are listed, and found to be done', async () => {
    const project = await createTestProject(service);
    const id = await storeConsent(service, project.id);
    await project.request('owner', 'DELETE', `/consents/${id}`, { reason: 'r' });
    const list = await ops('erasures list --since 2026-01-01');
    expect(list).toMatchObject({ code: 0, out: expect.stringMatching(`^${project.id} ${id} \\S+Z\n$`) });
    expect((await ops('erasures reapply')).out).toBe('Erased 0 of 1 listed records.\n');
  });
});

describe('account make-admin', () => {
  it('lets a confirmed account into an organization, and says so in its audit log', async () => {
    const [ada, grace] = [await signUp(service), await signUp(service)];
    const { id } = await createOrganization(ada);
    expect((await grace.request('GET', `/v1/organizations/${id}`)).status).toBe(404);
    const command = `account make-admin ${grace.email} --organization`;
    expect(await ops(`${command} ${UNKNOWN}`)).toMatchObject({
      code: 1,
      err: 'No organization with this id.\n',
    });
    expect(await ops(`${command} ${id}`)).toEqual({
      code: 0,
      out: 'The account is an admin of the organization.\n',
      err: '',
    });
    expect(await (await grace.request('GET', `/v1/organizations/${id}`)).json()).toMatchObject({
      role: 'admin',
    });
    expect((await ops(`audit list ${id}`)).out).toContain(
      `organization_member.change_role  ${grace.id}  by operator`,
    );
  });
});

describe('audit list', () => {
  it('tells what was done to a project that is gone', async () => {
    const project = await createTestProject(service);
    expect((await project.request('owner', 'DELETE', '')).status).toBe(204);
    const listed = await ops(`audit list ${project.id}`);
    expect(listed).toMatchObject({ code: 0, err: '' });
    expect(listed.out).toMatch(
      /^\S+Z {2}project\.delete {2}- {2}by api_key \S+ 127\.0\.0\.0\/24 {2}\{"name":"A project","domains":\[\]\} -> -\n$/,
    );
  });

  it('tells what operators did, by the name that they gave', async () => {
    const { id } = await createTestProject(service);
    const grant = `billing grant ${id} pro --until 2090-01-01 --reason r --by grace`;
    expect(await ops(grant)).toMatchObject({ code: 0 });
    const { out } = await ops(`audit list ${id}`);
    expect(out).toMatch(/^\S+Z {2}tier\.grant {2}\S+ {2}by operator grace {2}\{"tier":"lite"\} -> \{/);
  });
});

describe('SECRET_KEYS', () => {
  const token = 'T'.repeat(43);

  it('are counted, changed for another, and missed at the start', async () => {
    const project = await createTestProject(service, { tier: 'business' });
    const saved = await project.request('editor', 'PUT', '/forwarding', {
      enabled: true,
      endpointUrl: 'https://receiver.example.com/consents',
      authMode: 'bearer',
      bearerToken: token,
    });
    expect(saved.status).toBe(200);
    const sealed = async (): Promise<{ ciphertext: Buffer; keyId: string; at: Date } | undefined> =>
      (
        await service.database.query<{ ciphertext: Buffer; keyId: string; at: Date }>(
          `select token_ciphertext as ciphertext, token_key_id as "keyId", token_updated_at as at
           from forwarding_settings where project_id = $1`,
          [project.id],
        )
      )[0];
    const before = await sealed();
    const rotated = `${SECOND},${FIRST}`;
    expect(await ops('secrets list', rotated)).toEqual({
      code: 0,
      out: 'k2  encrypts  0 stored\nk1  decrypts  1 stored\n',
      err: '',
    });
    expect(await ops('secrets re-encrypt --dry-run', rotated)).toMatchObject({
      code: 0,
      out: 'Would re-encrypt 1.\n',
    });
    expect(await sealed()).toEqual(before);

    // Taken out too early: neither does the service start, nor is anything lost.
    expect((await ops('secrets list', SECOND)).out).toContain('k1  MISSING from SECRET_KEYS  1 stored');
    const early = await ops('secrets re-encrypt', SECOND);
    expect(early).toMatchObject({ code: 1, err: expect.stringContaining(project.id) });
    const start = await runProgram('main', [], { ...environment(SECOND), PORT: '0' });
    expect(start.code).toBe(1);
    expect(start.err).toContain(
      'SECRET_KEYS is missing keys that stored secrets are encrypted with: k1 (1 stored).',
    );
    expect(start.err).not.toContain('    at ');
    const sameId = await runProgram('main', [], { ...environment(keyOf('k1')), PORT: '0' });
    expect(sameId).toMatchObject({
      code: 1,
      err: expect.stringContaining('has different keys under the ids'),
    });
    expect(await sealed()).toEqual(before);

    expect(await ops('secrets re-encrypt', rotated)).toEqual({
      code: 0,
      out: 'Re-encrypted 1.\n',
      err: '',
    });
    const after = await sealed();
    expect(after).toMatchObject({ keyId: 'k2', at: before?.at });
    const [id = '', key = ''] = SECOND.split(':');
    const vault = new TokenVault({
      ...service.settings,
      secretKeys: [{ id, key: Buffer.from(key, 'base64') }],
    });
    expect(after && vault.open(project.id, after)).toBe(token);
    expect(await ops('secrets re-encrypt', SECOND)).toMatchObject({ code: 0, out: 'Re-encrypted 0.\n' });
    expect((await ops('secrets list', SECOND)).out).toBe('k2  encrypts  1 stored\n');
  });

  it('of a row that somebody changed are not guessed at', async () => {
    const id = newId();
    await service.database.query(`insert into project (id, name) values ($1, 'Changed')`, [id]);
    await service.database.query(
      `insert into forwarding_settings (project_id, enabled, endpoint_url, auth_mode, token_ciphertext, token_key_id, token_origin)
       values ($1, false, 'https://receiver.example.com/', 'bearer', $2, 'k1', 'https://receiver.example.com')`,
      [id, randomBytes(64)],
    );
    const { code, out, err } = await ops('secrets re-encrypt', `${SECOND},${FIRST}`);
    expect({ code, out }).toEqual({ code: 1, out: 'Re-encrypted 0.\n' });
    expect(err).toBe(
      `1 cannot be decrypted: the key is missing or the row was changed. Their owners must save the token, or create the signing secret, again: ${id}\n`,
    );
  });
});
