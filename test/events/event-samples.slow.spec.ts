import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createSigningSecret, signatureOf } from '../../src/platform/delivery/domain/webhook-signature.js';
import { newId } from '../../src/platform/identity/ids.js';
import { freePort } from '../support/programs/free-port.js';
import { isThere } from '../support/programs/is-there.js';
import { until } from '../support/until.js';

const SAMPLES = [
  { title: 'Node', file: 'events.mjs', command: process.execPath, args: (file: string) => [file] },
  { title: 'Python', file: 'events.py', command: 'python3', args: (file: string) => [file] },
  {
    title: 'PHP',
    file: 'events.php',
    command: 'php',
    args: (file: string, port: number) => ['-d', 'log_errors=0', '-S', `127.0.0.1:${port}`, file],
  },
];

it('are linked from the page, and those of Node and Python run everywhere', () => {
  const page = readFileSync('docs/events.md', 'utf8');
  for (const { file } of SAMPLES) expect(page).toContain(`](samples/${file})`);
  const found = SAMPLES.filter(({ command }) => isThere(command)).map(({ title }) => title);
  expect(found).toEqual(expect.arrayContaining(['Node', 'Python']));
});

describe.each(
  SAMPLES.filter(({ command }) => isThere(command)).map((sample) => [sample.title, sample] as const),
)('the sample in %s', (_, { file, command, args }) => {
  const secret = createSigningSecret();
  let folder: string;
  let child: ChildProcess;
  let port: number;
  let output = '';

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'consent-events-'));
    port = await freePort();
    output = '';
    child = spawn(command, args(resolve('docs', 'samples', file), port), {
      cwd: folder,
      env: { PATH: process.env['PATH'], TMPDIR: folder, EVENT_SECRET: secret, PORT: String(port) },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding('utf8').on('data', (text: string) => (output += text));
    await until('the sample to listen', () =>
      post('{}', {}).then(
        () => true,
        () => false,
      ),
    );
    output = '';
  });
  afterEach(async () => {
    const ended = new Promise((done) => child.once('exit', done));
    child.kill('SIGKILL');
    await ended;
    rmSync(folder, { recursive: true, force: true });
  });

  const post = (body: string, headers: Record<string, string>): Promise<Response> =>
    fetch(`http://127.0.0.1:${port}/`, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json', connection: 'close', ...headers },
    });

  const signed = (id: string, body: string, { seconds = 0, secrets = [secret] } = {}) => {
    const timestampSeconds = Math.floor(Date.now() / 1000) + seconds;
    return {
      'webhook-id': id,
      'webhook-timestamp': String(timestampSeconds),
      'webhook-signature': signatureOf({ id, timestampSeconds, body }, secrets),
    };
  };

  it('handles a signed event once, and refuses every other request', async () => {
    const [id, subject] = [newId(), newId()];
    const body = JSON.stringify({ type: 'scan.finished', timestamp: '', data: { id: subject, note: 'ä' } });
    for (const headers of [
      {},
      signed(id, body, { secrets: [createSigningSecret()] }),
      signed(id, `${body} `),
      { ...signed(id, body), 'webhook-id': newId() },
      { ...signed(id, body), 'webhook-timestamp': '' },
      signed(id, body, { seconds: -310 }),
      signed(id, body, { seconds: 310 }),
    ])
      expect((await post(body, headers)).status).toBe(401);
    const statuses = [];
    for (const secrets of [[createSigningSecret(), secret], [secret]])
      statuses.push((await post(body, signed(id, body, { secrets }))).status);
    expect(statuses).toEqual([204, 204]);
    await until('it is printed', () => output.includes(subject));
    expect(output.split(`scan.finished ${subject}`).length).toBe(2);
    expect((await post('x'.repeat(64 * 1024 + 1), {})).status).toBe(413);
  });
});
