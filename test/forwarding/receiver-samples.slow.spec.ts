import { type ChildProcess, spawn } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { issueCertificate } from '../../src/standalone/certificates.js';
import { createSigningSecret, signatureOf } from '../../src/platform/delivery/domain/webhook-signature.js';
import { newId } from '../../src/platform/identity/ids.js';
import { freePort } from '../support/programs/free-port.js';
import { isThere } from '../support/programs/is-there.js';
import { choose, createForwardingProject, settled, TOKEN } from '../support/programs/pipeline.js';
import { makeTestAuthority, type TestAuthority } from '../support/fakes/receiver.js';
import { startTestService } from '../support/programs/service.js';
import { until } from '../support/until.js';

interface Sample {
  title: string;
  file: string;
  command: string;
  /** Where the interpreter usually is on a machine. */
  args(file: string, port: number): string[];
  tls: boolean;
}

const SAMPLES: Sample[] = [
  {
    title: 'Node',
    file: 'receiver.mjs',
    command: process.execPath,
    args: (file) => [file],
    tls: true,
  },
  {
    title: 'Python',
    file: 'receiver.py',
    command: 'python3',
    args: (file) => [file],
    tls: true,
  },
  {
    title: 'PHP',
    file: 'receiver.php',
    command: 'php',
    args: (file, port) => ['-d', 'log_errors=0', '-S', `127.0.0.1:${port}`, file],
    tls: false,
  },
];

let authority: TestAuthority;
beforeAll(async () => {
  authority = await makeTestAuthority();
});
afterAll(() => authority.remove());

it('has a sample of each, and runs those of Node and Python everywhere', () => {
  const page = readFileSync('docs/receiver.md', 'utf8');
  for (const { file } of SAMPLES) expect(page).toContain(`](samples/${file})`);
  expect(SAMPLES.filter(({ command }) => isThere(command)).map(({ title }) => title)).toEqual(
    expect.arrayContaining(['Node', 'Python']),
  );
});

describe.each(
  SAMPLES.filter(({ command }) => isThere(command)).map((sample) => [sample.title, sample] as const),
)('the sample in %s', (_, sample) => {
  let folder: string;
  let child: ChildProcess;
  let port: number;
  let output = '';

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'consent-sample-'));
    mkdirSync(join(folder, 'records'));
    const { certificatePem, privateKeyPem } = await issueCertificate(authority.authority, ['127.0.0.1']);
    writeFileSync(join(folder, 'cert.pem'), certificatePem);
    writeFileSync(join(folder, 'key.pem'), privateKeyPem);
    cpSync(join('docs', 'samples', sample.file), join(folder, sample.file));
    port = await freePort();
    output = '';
    await start('');
  });
  afterEach(async () => {
    // It has outlived everything that was done to it.
    expect({ ended: child.exitCode ?? child.signalCode, output }).toEqual({ ended: null, output });
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await ended;
    rmSync(folder, { recursive: true, force: true });
  });

  /** Starts the sample; with a secret, it only accepts signed requests. */
  async function start(signingSecret: string): Promise<void> {
    child = spawn(sample.command, sample.args(sample.file, port), {
      cwd: folder,
      env: {
        PATH: process.env['PATH'],
        CONSENT_TOKEN: TOKEN,
        CONSENT_FOLDER: 'records',
        CONSENT_SIGNING_SECRET: signingSecret,
        PORT: String(port),
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding('utf8').on('data', (text: string) => (output += text));
    await until('the sample to listen', () =>
      post({ token: 'none' }).then(
        () => true,
        () => false,
      ),
    );
  }

  /** Restarts it with a secret. */
  async function restart(signingSecret: string): Promise<void> {
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await ended;
    await start(signingSecret);
  }

  const record = (fields: object = {}): { id: string } & Record<string, unknown> => ({
    schemaVersion: 1,
    id: newId(),
    projectId: newId(),
    analytics: true,
    marketing: false,
    preferences: true,
    action: 'custom',
    hostname: 'www.example.com',
    receivedAt: new Date().toISOString(),
    note: 'ä ü',
    ...fields,
  });
  const stored = (): string[] => readdirSync(join(folder, 'records')).toSorted();

  /** Posts as the service does; `cutAfter` closes the connection after that many bytes of the body. */
  function post(given: {
    body?: string;
    id?: string;
    token?: string;
    cutAfter?: number;
    headers?: Record<string, string>;
  }): Promise<{ status: number; text: string }> {
    const body = Buffer.from(given.body ?? '{}');
    return new Promise((resolve, reject) => {
      const request = (sample.tls ? httpsRequest : httpRequest)(
        {
          host: '127.0.0.1',
          port,
          method: 'POST',
          path: '/',
          agent: false,
          ca: authority.authority.certificatePem,
          headers: {
            authorization: `Bearer ${given.token ?? TOKEN}`,
            'content-type': 'application/json',
            'content-length': body.length,
            'webhook-id': given.id ?? newId(),
            ...given.headers,
          },
        },
        (response) => {
          let text = '';
          response.setEncoding('utf8').on('data', (piece: string) => (text += piece));
          response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
          response.on('error', reject);
        },
      );
      request.on('error', reject);
      if (given.cutAfter === undefined) request.end(body);
      else request.write(body.subarray(0, given.cutAfter), () => setTimeout(() => request.destroy(), 50));
    });
  }
  const send = (sent: { id: string }, more: object = {}): Promise<{ status: number; text: string }> =>
    post({ id: sent.id, body: JSON.stringify(sent), ...more });

  it('stores a record as it came, once, however often it comes', async () => {
    const sent = record();
    expect(await send(sent)).toEqual({ status: 204, text: '' });
    expect((await send(sent)).status).toBe(204);
    expect(stored()).toEqual([`${sent.id}.json`]);
    expect(JSON.parse(readFileSync(join(folder, 'records', `${sent.id}.json`), 'utf8'))).toEqual(sent);
    const together = record();
    const answers = await Promise.all(Array.from({ length: 5 }, () => send(together)));
    expect(answers.map(({ status }) => status)).toEqual([204, 204, 204, 204, 204]);
    expect(stored()).toEqual([`${sent.id}.json`, `${together.id}.json`].toSorted());
  });

  it('refuses a wrong token with 401 and a JSON error', async () => {
    for (const token of ['wrong', TOKEN.slice(1), '']) {
      const { status, text } = await send(record(), { token });
      expect({ status, error: (JSON.parse(text) as { error: unknown }).error }).toEqual({
        status: 401,
        error: expect.stringMatching(/./),
      });
    }
    expect(stored()).toEqual([]);
  });

  it('takes what is signed with its secret, and nothing else', async () => {
    const secret = createSigningSecret();
    await restart(secret);
    const [sent, seconds] = [record(), Math.floor(Date.now() / 1000)];
    const signed = (secrets: string[], timestampSeconds: number, body = JSON.stringify(sent)) => ({
      'webhook-timestamp': String(timestampSeconds),
      'webhook-signature': signatureOf({ id: sent.id, timestampSeconds, body }, secrets),
    });
    for (const headers of [
      {},
      { ...signed([secret], seconds), 'webhook-signature': '' },
      { ...signed([secret], seconds), 'webhook-timestamp': '' },
      signed([createSigningSecret()], seconds),
      signed([secret], seconds, JSON.stringify(record())),
      signed([secret], seconds - 360),
      signed([secret], seconds + 360),
    ]) {
      expect((await send(sent, { headers })).status).toBe(401);
    }
    expect(stored()).toEqual([]);
    expect((await send(sent, { headers: signed([createSigningSecret(), secret], seconds) })).status).toBe(
      204,
    );
    expect((await send(sent, { headers: signed([secret], seconds) })).status).toBe(204);
    expect(stored()).toEqual([`${sent.id}.json`]);
  });

  it('answers 500 where storing fails, and takes the record when it comes again', async () => {
    const sent = record();
    renameSync(join(folder, 'records'), join(folder, 'away'));
    expect((await send(sent)).status).toBe(500);
    renameSync(join(folder, 'away'), join(folder, 'records'));
    expect(stored()).toEqual([]);
    expect((await send(sent)).status).toBe(204);
    expect(stored()).toEqual([`${sent.id}.json`]);
  });

  it('stores nothing of a body that breaks off, and lives on', async () => {
    const sent = record();
    await expect(send(sent, { cutAfter: 60 })).rejects.toThrow(/socket hang up|ECONNRESET|aborted/);
    expect((await send(sent)).status).toBe(204);
    expect(stored()).toEqual([`${sent.id}.json`]);
  });

  it('does not archive what the Test action sends', async () => {
    const sent = record({ action: 'test', test: true, analytics: false, preferences: false, hostname: null });
    expect((await send(sent)).status).toBe(204);
    expect(stored()).toEqual([]);
  });

  it('removes what was erased, whichever comes first', async () => {
    const [sent, late] = [record(), record()];
    const erase = ({ id }: { id: string }): ReturnType<typeof post> =>
      post({ id: `erase_${id}`, body: JSON.stringify({ action: 'erase', id, erasedAt: new Date() }) });
    expect((await send(sent)).status).toBe(204);
    for (const each of [sent, late, sent]) expect((await erase(each)).status).toBe(204);
    for (const each of [late, sent]) expect((await send(each)).status).toBe(204);
    expect(stored()).toEqual([`${sent.id}.erased`, `${late.id}.erased`].toSorted());

    const kept = record();
    expect((await send(kept)).status).toBe(204);
    for (const [id, body] of [
      [`erase_${kept.id}`, kept],
      [`erase_${kept.id}`, { action: 'erase', id: sent.id }],
      [kept.id, { action: 'erase', id: kept.id }],
      [`erase_erase_${kept.id}`, { action: 'erase', id: kept.id }],
      ['erase_../../etc/passwd', { action: 'erase', id: '../../etc/passwd' }],
    ] as const)
      expect((await post({ id, body: JSON.stringify(body) })).status).toBe(400);
    expect(stored()).toContain(`${kept.id}.json`);
    expect(stored()).toHaveLength(3);
  });

  it('refuses what is no record', async () => {
    for (const [fields, status] of [
      [{ body: '{"id":' }, 400],
      [{ body: '[]' }, 400],
      [{ body: '{"id":"../../etc/passwd"}', id: '../../etc/passwd' }, 400],
      [{ body: JSON.stringify(record()) }, 400],
      [{ body: `{"id":"${'x'.repeat(70_000)}"}` }, 413],
    ] as const) {
      expect([fields.body.slice(0, 30), (await post(fields)).status]).toEqual([
        fields.body.slice(0, 30),
        status,
      ]);
    }
    expect(stored()).toEqual([]);
  });

  if (!sample.tls) return;

  it('gets its records from the service, and its Test', async () => {
    const service = await startTestService({
      RUN_WORKER: 'true',
      FORWARDING_ALLOWED_PRIVATE_TARGETS: `127.0.0.1:${port}`,
      FORWARDING_EXTRA_CA_FILE: authority.caFile,
    });
    try {
      const project = await createForwardingProject(service, `https://127.0.0.1:${port}/consents`, {
        bearerToken: TOKEN,
        forwardErasures: true,
      });
      const test = await project.request('editor', 'POST', '/forwarding/test');
      expect(await test.json()).toMatchObject({ delivered: true, httpStatus: 204 });
      expect(stored()).toEqual([]);
      const { id } = await choose(service, project.id);
      expect(await settled(project, id)).toMatchObject({ outcome: 'delivered', httpStatus: 204 });
      expect(stored()).toEqual([`${id}.json`]);

      const made = await project.request('editor', 'POST', '/forwarding/signing-secret');
      await restart(((await made.json()) as { signingSecret: string }).signingSecret);
      const signed = await choose(service, project.id);
      expect(await settled(project, signed.id)).toMatchObject({ outcome: 'delivered', httpStatus: 204 });
      expect(stored()).toEqual([`${id}.json`, `${signed.id}.json`].toSorted());

      const erased = await project.request('owner', 'DELETE', `/consents/${id}`, { reason: 'asked for' });
      expect(erased.status).toBe(204);
      await until('it is told of the erasure', () => stored().includes(`${id}.erased`));
      await until('the record is gone', () => !stored().includes(`${id}.json`));
      expect(stored()).toEqual([`${id}.erased`, `${signed.id}.json`].toSorted());
    } finally {
      await service.close();
    }
  });
});
