import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { createServer, type IncomingHttpHeaders, request as send, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { resolve } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { makeEvent } from '../support/people/event-endpoint.js';
import { createTestProject, type TestProject } from '../support/people/project.js';
import { startTestService, type TestService } from '../support/programs/service.js';
import { until } from '../support/until.js';

const CLI = resolve('packages/cli/dist/main.js');

interface Received {
  headers: IncomingHttpHeaders;
  body: string;
}

interface Listener {
  out(): string;
  err(): string;
  ended: Promise<number | null>;
  stop(): Promise<number | null>;
}

let service: TestService;
let project: TestProject;
let hook: { server: Server; url: string; requests: Received[]; status: number };
let running: ChildProcess[];

beforeAll(async () => {
  execFileSync(process.execPath, ['scripts/build-packages.mjs'], { stdio: 'pipe' });
  service = await startTestService();
});
afterAll(() => service?.close());

beforeEach(async () => {
  project = await createTestProject(service);
  running = [];
  const requests: Received[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      requests.push({ headers: request.headers, body: Buffer.concat(chunks).toString() });
      response.writeHead(hook.status).end('{"secret":"of the receiver"}');
    });
  });
  const url = `${await listening(server)}/hook`;
  hook = { server, url, requests, status: 204 };
});
afterEach(async () => {
  for (const child of running) child.kill('SIGKILL');
  await closed(hook.server);
});

const listening = (server: Server): Promise<string> =>
  new Promise((done) =>
    server.listen(0, '127.0.0.1', () => done(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)),
  );

const closed = (server: Server): Promise<void> =>
  new Promise((done) => {
    server.close(() => done());
    server.closeAllConnections();
  });

function start(args: string[], url = service.baseUrl): Listener {
  const env = {
    PATH: process.env['PATH'] ?? '',
    CONSENT_URL: url,
    CONSENT_API_KEY: project.keys.editor,
  };
  const child = spawn(process.execPath, [CLI, ...args], { env });
  running.push(child);
  const [out, err]: [string[], string[]] = [[], []];
  child.stdout.on('data', (chunk: Buffer) => out.push(chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => err.push(chunk.toString()));
  const ended = new Promise<number | null>((done) => child.once('exit', (code) => done(code)));
  return {
    out: () => out.join(''),
    err: () => err.join(''),
    ended,
    stop: () => {
      child.kill('SIGINT');
      return ended;
    },
  };
}

const trigger = async (type: string): Promise<void> => {
  const response = await project.request('editor', 'POST', '/events/trigger', { type });
  expect(response.status).toBe(201);
};

const received = (count: number): Promise<Received[]> =>
  until(`${count} requests`, () => (hook.requests.length >= count ? hook.requests : undefined));

describe('consent listen', () => {
  it('forwards what happens and what is triggered, signed with its secret, until Ctrl-C', async () => {
    await makeEvent(project);
    // The command listens from the time in a response's `Date`, which has no parts of seconds.
    await new Promise((later) => setTimeout(later, 1_100));
    const listener = start(['listen', '--forward-to', hook.url]);
    const secret = await until('the secret', () => /whsec_\S+/.exec(listener.out())?.[0]);
    await new Promise((later) => setTimeout(later, 1_000));
    const keyId = await makeEvent(project);
    await trigger('scan.finished');
    const [first, second] = await received(2);
    for (const each of [first, second]) {
      const { headers, body } = each as Received;
      expect(() => new Webhook(secret).verify(body, headers as Record<string, string>)).not.toThrow();
      expect(headers['user-agent']).toBe('Service-Events/1.0');
    }
    const bodies = [first, second].map((each) => JSON.parse(each?.body ?? '') as Record<string, unknown>);
    expect(bodies).toEqual([
      {
        type: 'api_key.created',
        timestamp: expect.any(String),
        data: expect.objectContaining({ id: keyId }),
      },
      { type: 'scan.finished', timestamp: expect.any(String), data: expect.any(Object), test: true },
    ]);
    await until('two lines', () =>
      /api_key\.created .* 204 {2}\d+ ms\n.*\(test\).* 204 /.test(listener.out()),
    );
    expect(await listener.stop()).toBe(0);
    expect(listener.out()).toContain('Stopped.');
    expect(listener.out() + listener.err()).not.toContain('of the receiver');
  });

  it('shows a receiver that refuses or is not there, and takes the chosen types alone', async () => {
    hook.status = 500;
    const listener = start(['--json', 'listen', '--forward-to', hook.url, '--types', 'tier.changed']);
    await until('it listens', () => listener.out().includes('whsec_'));
    await trigger('scan.finished');
    await trigger('tier.changed');
    await until('a line', () => listener.out().includes('"forwarded":{"status":500'));
    await closed(hook.server);
    await trigger('tier.changed');
    await until('another line', () => listener.out().includes('ECONNREFUSED'));
    expect(listener.out()).not.toContain('scan.finished');
    expect(await listener.stop()).toBe(0);
  });

  it('survives a broken line to the service', async () => {
    let isBroken = false;
    const line = createServer((request, response) => {
      if (isBroken) return void request.socket.destroy();
      const { method, headers, url } = request;
      const passed = send(`${service.baseUrl}${url}`, { method, headers }, (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      });
      passed.on('error', () => response.destroy());
      request.pipe(passed);
    });
    const url = await listening(line);
    const listener = start(['listen', '--forward-to', hook.url], url);
    await until('it listens', () => listener.out().includes('whsec_'));
    await trigger('scan.finished');
    await received(1);
    isBroken = true;
    line.closeAllConnections();
    await until('it tries again', () => (listener.err().match(/Trying again in/g)?.length ?? 0) >= 2);
    await trigger('tier.changed');
    isBroken = false;
    const [, second] = await received(2);
    expect(second?.body).toContain('"type":"tier.changed"');
    expect(await listener.stop()).toBe(0);
    await closed(line);
  });

  it.each([
    ['an address that is none', ['--forward-to', 'localhost:4000'], '--forward-to is an address'],
    ['an unknown type', ['--types', 'scan.begun'], 'No event type "scan.begun"'],
  ])('refuses %s', async (_, args, message) => {
    const listener = start(['listen', ...args]);
    expect(await listener.ended).toBe(1);
    expect(listener.err()).toContain(message);
  });
});

describe('consent trigger', () => {
  it('creates an event, and refuses an unknown type', async () => {
    const good = start(['trigger', 'scan.finished']);
    await until('it says so', () => good.out().includes('Triggered scan.finished as '));
    const bad = start(['trigger', 'scan.begun']);
    await until('it says so', () => bad.err().includes('No event type "scan.begun"'));
  });
});
