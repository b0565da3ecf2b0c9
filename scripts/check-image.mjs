// Builds the image's stages without Docker and runs the result: npm run check:image. It reads the Dockerfile and
// .dockerignore, copies exactly what the COPY lines name into a clean folder for each stage, runs the RUN lines there,
// and starts API, worker, migration and an operator's command from the last one as an ordinary user.
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, matchesGlob, relative } from 'node:path';
import { Client } from 'pg';
import { startEmbeddedPostgres } from '../dist/standalone/embedded-postgres.js';
import { freePort } from '../dist/standalone/embedded-postgres.js';

const READY_DEADLINE_MS = 90_000;
const POLL_MS = 500;
/** The image's user `node`. */
const USER = process.getuid?.() === 0 ? { uid: 1000, gid: 1000 } : {};
/**
 * As docker-compose.yml runs the image: no capabilities, no new privileges. The files belong to another user, so nothing
 * but the data folder and the system's temporary folder is writable.
 */
const HARDENED = [
  'setpriv',
  '--reuid=1000',
  '--regid=1000',
  '--clear-groups',
  '--no-new-privs',
  '--bounding-set=-all',
];

const root = mkdtempSync(join(tmpdir(), 'consent-image-'));
chmodSync(root, 0o755);
const children = [];
let postgres;
try {
  const stages = buildStages();
  postgres = await startEmbeddedPostgres(join(root, 'postgres'));
  await runImage(stages.at(-1));
  await runScanner(stages.find(({ name }) => name === 'scanner'));
  console.log('the images build, migrate, serve, take commands and scan');
} finally {
  for (const child of children) child.kill('SIGTERM');
  await Promise.all(
    children.map((child) => child.exitCode ?? new Promise((resolve) => child.once('exit', resolve))),
  );
  await postgres?.stop();
  rmSync(root, { recursive: true, force: true });
}

/** Follows the Dockerfile. Returns the stages: folder, environment, command and health check of each. */
function buildStages() {
  const ignored = ignoreRules();
  const stages = [];
  let stage;
  for (const [keyword, rest] of instructions()) {
    console.log(`${keyword} ${rest}`);
    if (keyword === 'FROM') {
      const name = / AS (\S+)$/.exec(rest)?.[1] ?? 'final';
      stage = { name, folder: join(root, `stage-${name}`), workdir: '/', env: {}, command: [], health: [] };
      stages.push(stage);
    } else if (keyword === 'WORKDIR') {
      stage.workdir = rest;
      mkdirSync(inStage(stage, '.'), { recursive: true });
    } else if (keyword === 'ENV') {
      Object.assign(stage.env, Object.fromEntries(rest.split(/\s+/).map((pair) => pair.split('='))));
    } else if (keyword === 'COPY') copy(stage, stages, ignored, rest);
    else if (keyword === 'RUN') runLine(stage, rest);
    else if (keyword === 'CMD') stage.command = JSON.parse(rest);
    else if (keyword === 'HEALTHCHECK') stage.health = JSON.parse(rest.slice(rest.indexOf('[')));
    else if (keyword !== 'USER' && keyword !== 'EXPOSE') throw new Error(`${keyword} is not known here`);
  }
  return stages;
}

function instructions() {
  const lines = readFileSync('Dockerfile', 'utf8')
    .replace(/^#.*$/gm, '')
    .replace(/\\\n\s*/g, '')
    .split('\n');
  return lines.filter((line) => line.trim() !== '').map((line) => line.match(/^(\S+)\s+(.*)$/).slice(1));
}

function inStage(stage, path) {
  return join(stage.folder, path.startsWith('/') ? path : join(stage.workdir, path));
}

function copy(stage, stages, ignored, rest) {
  const words = rest.split(/\s+/);
  const from = words[0].startsWith('--from=') ? words.shift().slice('--from='.length) : null;
  const target = words.pop();
  for (const source of words) {
    const path = from
      ? inStage(
          stages.find(({ name }) => name === from),
          source,
        )
      : source;
    if (!from && (ignored(source) || !existsSync(source)))
      throw new Error(`COPY ${source}: .dockerignore leaves it out, or it does not exist`);
    const to = inStage(stage, target.endsWith('/') ? join(target, basename(source)) : target);
    cpSync(path, to, {
      recursive: true,
      verbatimSymlinks: true,
      filter: (each) => from !== null || each === source || !ignored(relative('.', each)),
    });
  }
}

/** As Docker reads .dockerignore: the last line that matches a path or a folder above it decides. */
function ignoreRules() {
  const rules = readFileSync('.dockerignore', 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
  return (path) => {
    let ignored = false;
    for (const rule of rules) {
      const pattern = rule.replace(/^!/, '');
      const above = path.split('/').map((_, index, parts) => parts.slice(0, index + 1).join('/'));
      if (above.some((part) => matchesGlob(part, pattern))) ignored = !rule.startsWith('!');
    }
    return ignored;
  };
}

function runLine(stage, line) {
  // Chromium is installed on this machine, where it was needed for tests.
  if (line.startsWith('apt-get ')) return;
  // The image's user is not in this machine's user database.
  const command = line.replaceAll('chown node:node', `chown ${USER.uid ?? ''}:${USER.gid ?? ''}`);
  if (command !== line && USER.uid === undefined) return;
  const { status } = spawnSync('sh', ['-c', command], {
    cwd: inStage(stage, '.'),
    stdio: ['ignore', 'inherit', 'inherit'],
    // Keeps this machine's npm registry settings, but not its NODE_ENV.
    env: { ...process.env, NODE_ENV: '', ...stage.env },
  });
  if (status !== 0) throw new Error(`RUN ${line} ended with ${status}`);
}

async function runImage(image) {
  const folder = inStage(image, '.');
  const [apiPort, workerPort] = [await freePort(), await freePort()];
  const secrets = {
    DATABASE_URL: postgres.databaseUrl,
    PUBLIC_BASE_URL: 'https://consent.example.com',
    SECRET_KEYS: `k1:${randomBytes(32).toString('base64')}`,
    AUTH_SECRET: randomBytes(32).toString('hex'),
  };
  const options = (environment) => ({
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: join(folder, '.data'), ...image.env, ...secrets, ...environment },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const [launcher, ...args] = USER.uid === undefined ? image.command : [...HARDENED, ...image.command];
  const other = (...program) => [...args.slice(0, -1), ...program];
  execFileSync(launcher, other('ops', 'migrate'), options({ DATABASE_OWNER_URL: postgres.ownerUrl }));
  children.push(
    spawn(launcher, args, options({ PORT: String(apiPort) })),
    spawn(launcher, other('worker'), options({ PORT: String(workerPort), WORKER_PORT: String(workerPort) })),
  );
  for (const port of [apiPort, workerPort])
    await healthy(image, { ...USER, ...options({ PORT: String(port) }) });
  execFileSync('npm', ['run', '--silent', 'ops', '--', 'outbox', 'dead'], { ...USER, ...options({}) });
  const loader = await fetch(
    `http://127.0.0.1:${apiPort}/cdn/00000000-0000-7000-8000-000000000000/loader.js`,
  );
  if (!loader.ok) throw new Error(`the loader is answered ${loader.status}`);
}

/** Starts the scanner with the rights of its role, as the API has migrated the database. */
async function runScanner(image) {
  const scannerPort = await freePort();
  const [program, ...args] = USER.uid === undefined ? image.command : [...HARDENED, ...image.command];
  const folder = inStage(image, '.');
  // The profile of a scanner of another user that was killed must not keep this one from starting.
  const { pid: ended } = spawnSync('true');
  const abandoned = mkdtempSync(join(tmpdir(), `consent-scan-${ended}-`));
  mkdirSync(join(abandoned, 'profile'));
  process.on('exit', () => rmSync(abandoned, { recursive: true, force: true }));
  const scanner = spawn(program, args, {
    cwd: folder,
    env: {
      PATH: process.env.PATH,
      ...image.env,
      DATABASE_URL: postgres.scannerUrl,
      PUBLIC_BASE_URL: 'https://consent.example.com',
      SCANNER_PORT: String(scannerPort),
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(scanner);
  const timer = setTimeout(() => scanner.kill('SIGKILL'), READY_DEADLINE_MS);
  for await (const text of scanner.stdout.setEncoding('utf8')) if (text.includes('scanner ready')) break;
  clearTimeout(timer);
  const client = new Client(postgres.superuserUrl);
  await client.connect();
  const deadline = Date.now() + READY_DEADLINE_MS;
  let reported = [];
  while (reported.length === 0 && Date.now() < deadline) {
    ({ rows: reported } = await client.query("select from scanner where browser like 'Chrom%'"));
    await new Promise((wake) => setTimeout(wake, POLL_MS));
  }
  await client.end();
  if (reported.length === 0) throw new Error('the scanner does not report itself');
  for (const [path, expected] of [
    ['/health/ready', '"ok"'],
    ['/metrics', 'scanner_scan_running 0'],
  ]) {
    const response = await fetch(`http://127.0.0.1:${scannerPort}${path}`);
    if (!response.ok || !(await response.text()).includes(expected))
      throw new Error(`${path} of the scanner is answered ${response.status}`);
  }
}

/** Runs the image's own health check until it holds. */
async function healthy(image, options) {
  const deadline = Date.now() + READY_DEADLINE_MS;
  const [program, ...args] = image.health;
  while (spawnSync(program, args, options).status !== 0) {
    if (Date.now() > deadline) throw new Error('the health check does not hold');
    await new Promise((wake) => setTimeout(wake, POLL_MS));
  }
}
