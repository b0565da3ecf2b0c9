// How long a changed tier takes to be in storage, and to be served, while consents are taken in.
//
//   npm run build && node_modules/.bin/node bench/publishing.mjs [--changes 200] [--rate 500] [--storage file|s3]
//
// Starts and stops the service in standalone mode, in a fresh folder. Bounded: it ends after the given number of
// changes, or after `DEADLINE_MS`. `--storage s3` publishes to an S3 server (s3rver) over HTTP.
import { spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { createRequire } from 'node:module';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Agent, request } from 'undici';
import { installPackages } from '../scripts/install-packages.mjs';

const START_DEADLINE_MS = 60_000;
const CHANGE_DEADLINE_MS = 10_000;
const DEADLINE_MS = 180_000;
const POLL_MS = 1;
const READ_TIMEOUT_MS = 100;
const TIERS = ['business', 'pro'];
const BUCKET = 'sites';

const { values } = parseArgs({
  options: {
    changes: { type: 'string', default: '200' },
    rate: { type: 'string', default: '500' },
    storage: { type: 'string', default: 'file' },
  },
});
const changes = Number(values.changes);
const ratePerSecond = Number(values.rate);
const endMs = performance.now() + DEADLINE_MS;

const sleep = (ms) => new Promise((wake) => setTimeout(wake, ms));
const freePort = () =>
  new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });

async function main() {
  const dataDir = mkdtempSync(join(tmpdir(), 'consent-bench-'));
  chmodSync(dataDir, 0o755);
  const s3 = values.storage === 's3' ? await startS3(join(dataDir, 's3')) : null;
  const service = await startService(dataDir, s3);
  try {
    const ingest = runIngest(service);
    const times = await changeTiers(service, s3);
    const taken = await ingest.stop();
    report(times, taken);
  } finally {
    await service.stop();
    await s3?.close();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

async function startS3(directory) {
  const extras = join('test', 'extras');
  installPackages(extras);
  const S3rver = createRequire(join(process.cwd(), extras, 'package.json'))('s3rver');
  const server = new S3rver({
    port: 0,
    address: '127.0.0.1',
    silent: true,
    directory,
    configureBuckets: [{ name: BUCKET }],
  });
  const { port } = await server.run();
  return { origin: `http://127.0.0.1:${port}`, close: () => server.close() };
}

async function startService(dataDir, s3) {
  const port = await freePort();
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', join('dist', 'main.js')], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: {
      ...process.env,
      DATA_DIR: dataDir,
      PORT: String(port),
      LOG_LEVEL: 'warn',
      INGEST_RATE_PER_MINUTE: '0',
      ...(s3 && {
        STORAGE_URL: `s3://${BUCKET}/?endpoint=${s3.origin}`,
        AWS_ACCESS_KEY_ID: 'S3RVER',
        AWS_SECRET_ACCESS_KEY: 'S3RVER',
      }),
    },
  });
  const exited = new Promise((resolve) => child.once('exit', resolve));
  const credentialsFile = join(dataDir, 'dev-credentials.json');
  const deadlineMs = performance.now() + START_DEADLINE_MS;
  while (!existsSync(credentialsFile)) {
    if (child.exitCode !== null || performance.now() > deadlineMs)
      throw new Error('the service did not start');
    await sleep(50);
  }
  await sleep(200);
  const { baseUrl, projectId, apiKeys } = JSON.parse(readFileSync(credentialsFile, 'utf8'));
  return {
    baseUrl,
    projectId,
    apiKey: apiKeys.editor,
    configuration: join(dataDir, 'cdn', projectId, 'config.json'),
    stop: () => {
      child.kill('SIGINT');
      return exited;
    },
  };
}

/** Sends requests at a fixed rate, evenly spread, whether or not earlier ones have been answered. */
function runIngest({ baseUrl, projectId }) {
  const dispatcher = new Agent({ connections: 16 });
  const body = JSON.stringify({ analytics: true, marketing: false, preferences: true, action: 'custom' });
  const latenciesMs = [];
  let failed = 0;
  const stopping = new AbortController();
  const send = async () => {
    const startedMs = performance.now();
    try {
      const response = await request(`${baseUrl}/v1/projects/${projectId}/consents`, {
        dispatcher,
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
      });
      await response.body.dump();
      if (response.statusCode === 201) latenciesMs.push(performance.now() - startedMs);
      else failed += 1;
    } catch {
      failed += 1;
    }
  };
  const startedMs = performance.now();
  const loop = (async () => {
    let sent = 0;
    while (!stopping.signal.aborted) {
      const due = ((performance.now() - startedMs) / 1000) * ratePerSecond;
      for (; sent < due; sent += 1) void send();
      await sleep(5);
    }
  })();
  return {
    stop: async () => {
      stopping.abort();
      await loop;
      const seconds = (performance.now() - startedMs) / 1000;
      await sleep(500);
      await dispatcher.close();
      return { latenciesMs, failed, perSecond: latenciesMs.length / seconds };
    },
  };
}

async function changeTiers(service, s3) {
  const { baseUrl, projectId, apiKey } = service;
  const publishedTier = async () => {
    try {
      if (!s3) return JSON.parse(readFileSync(service.configuration, 'utf8')).tier;
      // The test server writes in the open: a read in that moment gets less than it was promised, and waits.
      const signal = AbortSignal.timeout(READ_TIMEOUT_MS);
      const { body } = await request(`${s3.origin}/${BUCKET}/${projectId}/config.json`, { signal });
      return (await body.json()).tier;
    } catch {
      return null;
    }
  };
  const servedTier = async () => {
    const { body } = await request(`${baseUrl}/cdn/${projectId}/config.json`);
    return (await body.json()).tier;
  };
  const reached = async (tier, read) => {
    const deadlineMs = performance.now() + CHANGE_DEADLINE_MS;
    while ((await read()) !== tier) {
      if (performance.now() > deadlineMs) throw new Error(`${tier} was not published`);
      await sleep(POLL_MS);
    }
    return performance.now();
  };
  const times = { change: [], published: [], served: [] };
  for (let change = 0; change < changes && performance.now() < endMs; change += 1) {
    const tier = TIERS[change % TIERS.length];
    const askedMs = performance.now();
    const { statusCode, body } = await request(`${baseUrl}/v1/projects/${projectId}/tier/simulate`, {
      method: 'POST',
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ tier }),
    });
    await body.dump();
    if (statusCode !== 200) throw new Error(`simulate answered ${statusCode}`);
    const changedMs = performance.now();
    times.change.push(changedMs - askedMs);
    times.published.push((await reached(tier, publishedTier)) - changedMs);
    if (!s3) times.served.push((await reached(tier, servedTier)) - changedMs);
    await sleep(Math.random() * 50);
  }
  return times;
}

function report(times, taken) {
  const row = (what, list) => {
    const sorted = [...list].sort((a, b) => a - b);
    const at = (share) => sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)] ?? 0;
    console.log(
      `${what.padEnd(46)} n=${String(sorted.length).padEnd(6)} p50 ${at(0.5).toFixed(1)} ms  p99 ${at(0.99).toFixed(1)} ms  max ${at(1).toFixed(1)} ms`,
    );
  };
  console.log(`${cpus().length} cores, Node ${process.version}, storage ${values.storage}`);
  console.log(
    `ingest meanwhile: ${taken.perSecond.toFixed(0)}/s stored and forwarded, ${taken.failed} failed`,
  );
  row('POST …/tier/simulate', times.change);
  row('tier change (answered) to in storage', times.published);
  if (times.served.length > 0) row('tier change (answered) to served by /cdn', times.served);
  row('POST …/consents', taken.latenciesMs);
}

await main();
process.exit(0);
