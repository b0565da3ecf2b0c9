import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { getPriority } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import {
  childrenOf,
  isRunning,
  postmasterOf,
  Processes,
  type ServiceProcess,
} from '../support/programs/processes.js';
import { until } from '../support/until.js';

const WORKER = 'worker-program.js';
const RECEIVER = 'demo-receiver-program.js';

interface Credentials {
  projectId: string;
  receiverUrl: string;
  receiverLog: string;
}

const processes = new Processes();
let dataDir: string;
let api: ServiceProcess;
let credentials: Credentials;

beforeAll(async () => {
  dataDir = processes.dataFolder();
  // Short, so that messages of a killed worker are free again soon.
  const environment = {
    DATA_DIR: dataDir,
    FORWARDING_CONNECT_TIMEOUT_MS: '2000',
    FORWARDING_TIMEOUT_MS: '3000',
    OUTBOX_LEASE_MS: '3500',
  };
  api = await processes.startApi({ environment });
  await api.ready();
  credentials = JSON.parse(readFileSync(join(dataDir, 'dev-credentials.json'), 'utf8')) as Credentials;
});
afterAll(() => processes.close());

const pidOf = (program: string): number | undefined => childrenOf(api.pid).get(program);

async function postConsent(): Promise<string> {
  const response = await fetch(`${api.baseUrl}/v1/projects/${credentials.projectId}/consents`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ analytics: true, marketing: false, preferences: true, action: 'custom' }),
  });
  expect(response.status).toBe(201);
  return ((await response.json()) as { id: string }).id;
}

const isDelivered = (id: string): boolean =>
  existsSync(credentials.receiverLog) && readFileSync(credentials.receiverLog, 'utf8').includes(id);

async function health(): Promise<{ status: string; worker: string | undefined }> {
  const response = await fetch(`${api.baseUrl}/health/ready`);
  const { status, details } = (await response.json()) as {
    status: string;
    details: Record<string, { status: string }>;
  };
  return { status, worker: details['worker']?.status };
}

const scrape = async (): Promise<string> => (await fetch(`${api.baseUrl}/metrics`)).text();

/** Whether anything accepts connections at the receiver's address of the first start. */
async function isListening(): Promise<boolean> {
  const socket = connect(Number(new URL(credentials.receiverUrl).port), '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

async function killChild(program: string): Promise<number> {
  const pid = pidOf(program);
  if (pid === undefined) throw new Error(`${program} is not running`);
  process.kill(pid, 'SIGKILL');
  await until(`${program} is dead`, () => !isRunning(pid));
  return pid;
}

it('prints the metrics of API and worker, each metric once', async () => {
  const id = await postConsent();
  await until('it is delivered', () => isDelivered(id));
  const delivered =
    /^forwarding_deliveries_total\{outcome="delivered",category="none",process="worker"\} 1$/m;
  // Counted when the outcome is stored, which is after the delivery.
  await until('the delivery is counted', async () => delivered.test(await scrape()));
  const text = await scrape();
  expect(text).toMatch(/^consent_ingest_requests_total\{result="stored",process="api"\} 1$/m);
  expect(text).toMatch(/^isolate_heap_bytes\{isolate="main",kind="used",process="worker"\} \d+$/m);
  const described = [...text.matchAll(/^# TYPE (\w+) /gm)].map(([, name]) => name);
  expect(described).toEqual([...new Set(described)]);
});

it('gives worker, receiver and database server a higher priority than the API', async () => {
  const niceOf = (pid: number | null | undefined): number => getPriority(Number(pid)) - getPriority();
  await until('the API has lowered its priority', () => niceOf(api.pid) === 3);
  expect([pidOf(WORKER), pidOf(RECEIVER), postmasterOf(dataDir)].map(niceOf)).toEqual([0, 0, 0]);
});

it('restarts a worker that was killed, and delivers what was stored in the meantime', async () => {
  expect(await health()).toEqual({ status: 'ok', worker: 'up' });
  const former = await killChild(WORKER);
  const id = await postConsent();
  expect(await scrape()).not.toContain('process="worker"');
  await until('another worker is running', () => (pidOf(WORKER) ?? former) !== former);
  await until('the record is delivered', () => isDelivered(id));
  // A worker delivers before the API knows that it is ready.
  await until('the worker is up', async () => (await health()).worker === 'up');
  expect((await health()).status).toBe('ok');
  expect(api.output()).toContain('the worker process exited; restarting it');
});

it('restarts a demo receiver that was killed, on its port', async () => {
  const former = await killChild(RECEIVER);
  await until('another receiver is running', () => (pidOf(RECEIVER) ?? former) !== former);
  await until('it is listening again', isListening);
  const id = await postConsent();
  await until('the record is delivered', () => isDelivered(id));
});

it('leaves no child behind when it is killed', async () => {
  const children = [...childrenOf(api.pid).values()];
  expect(children.length).toBeGreaterThanOrEqual(2);
  const own = [pidOf(WORKER), pidOf(RECEIVER)].map(Number);
  await api.kill();
  await until('worker and receiver have exited', () => own.every((pid) => !isRunning(pid)));
});

it('stops both children with itself', async () => {
  api = await processes.startApi({ environment: { DATA_DIR: dataDir } });
  await api.ready();
  const own = [pidOf(WORKER), pidOf(RECEIVER)].map(Number);
  expect(await api.stop()).toEqual({ code: 0, signal: null });
  expect(own.filter((pid) => isRunning(pid))).toEqual([]);
});

it('leaves no server running when it is stopped while the server starts', async () => {
  api = await processes.startApi({ environment: { DATA_DIR: dataDir } });
  await until('the server is starting', () => postmasterOf(dataDir) !== null);
  expect(await api.stop()).toEqual({ code: 0, signal: null });
  expect(postmasterOf(dataDir)).toBeNull();
});
