// Scans of a local site: how long 30 pages and the five states take, how much memory the scanner and its Chromium use,
// whether a page that waits for consent ever has a finding before it, the cost of a scan for the ingest beside it, and how long
// a scan waits behind 100 queued scans of another account.
// `npm run bench -- scan --part before` does one part.
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { v7 } from 'uuid';
import { startDatabase } from './support/database.mjs';
import { startHelper } from './support/helper.mjs';
import { row } from './support/report.mjs';
import { listenOnLoopback, startScanSite } from './support/scan-site.mjs';
import { startScanner } from './support/scanner.mjs';
import { startService } from './support/service.mjs';
import { isFullSize, scaledCount, scaledRate, scaledRounds, scaledSeconds } from './support/scale.mjs';

const PAGES = scaledCount(30, 3);
const FALSE_FINDING_SCANS = scaledCount(100, 2);
const RATE_PER_SECOND = scaledRate(300);
const ROUNDS = scaledRounds(5);
const SECONDS = scaledSeconds(8);
const WARM_UP_SECONDS = 1;
const QUEUED_SCANS = scaledCount(100, 3);
const HANGING_PAGES = scaledCount(20, 2);
const HANG_SECONDS = Math.ceil(scaledSeconds(30));
const POLL_MS = 200;
const SCAN_DEADLINE_MS = 900_000;
const KILOBYTE = 1_024;

const PARTS = { whole: wholeScan, before: falseFindings, ingest: ingestBeside, turn: turnBehind };
/** A scan of the part `before` takes about 12 s. */
const DEADLINES_MS = { whole: 600_000, before: 3_600_000, ingest: 600_000, turn: 600_000 };

/** @param {{ part?: string[] }} options */
export const deadlineMs = ({ part = Object.keys(PARTS) }) =>
  part.reduce((sum, name) => sum + (DEADLINES_MS[/** @type {keyof typeof PARTS} */ (name)] ?? 0), 0);
export const title = `Scans: ${PAGES} pages, five states, ${FALSE_FINDING_SCANS} scans of a page that waits for consent`;

/**
 * @typedef {{ database: import('./support/database.mjs').Database, projectId: string, loaderTag: string,
 *             scope: import('./support/scope.mjs').Scope, baseUrl: string }} World
 */

/**
 * @param {import('./support/scope.mjs').Scope} scope
 * @param {{ part?: string[] }} options
 * @returns {Promise<Omit<import('./support/report.mjs').Report, 'name' | 'title'>>}
 */
export async function run(scope, { part = Object.keys(PARTS) }) {
  const unknown = part.filter((name) => !(name in PARTS));
  if (unknown.length > 0) throw new Error(`there is no part ${unknown.join(', ')}`);
  const database = await startDatabase(scope);
  const { baseUrl } = await startService(scope, database);
  await startService(scope, database, { program: 'worker' });
  const [project] = await database.makeProjects(1);
  if (!project) throw new Error('a project was asked for');
  await publishBanner(baseUrl, project.id, await database.makeApiKey(project.id, 'owner'));
  const loaderTag = `<script src="${baseUrl}/cdn/${project.id}/loader.js"></script>`;
  const world = { database, projectId: project.id, loaderTag, scope, baseUrl };
  const rows = [];
  const raw = [];
  for (const name of part) {
    const result = await PARTS[/** @type {keyof typeof PARTS} */ (name)](world);
    rows.push(...result.rows);
    raw.push({ part: name, ...result.raw });
  }
  return { database: await database.facts(), rows, raw };
}

/** The crawl and five states with the default settings. @param {World} world */
async function wholeScan({ database, projectId, loaderTag, scope, baseUrl }) {
  const site = await startScanSite(scope, loaderTag);
  const scanner = await startScanner(scope, database, { targets: [site.host, new URL(baseUrl).host] });
  const memory = sampleMemory(scanner.pid);
  const urls = Array.from({ length: PAGES }, (_, n) => site.url(`/page-${n}`));
  const { id } = await scan(database, { projectId, urls, skippedStates: [] });
  const bytes = memory.stop();
  await scanner.stop();
  const { rows } = await database.client.query(
    `select s.status, extract(epoch from min(st.started_at) - s.started_at)::float8 as "crawlSeconds",
            extract(epoch from s.ended_at - min(st.started_at))::float8 as "statesSeconds",
            count(*) filter (where st.status = 'tested')::int as tested,
            (select count(*)::int from scan_page p where p.scan_id = s.id and p.status = 'visited') as visited
     from scan s join scan_state st on st.project_id = s.project_id and st.scan_id = s.id
     where s.id = $1 group by s.project_id, s.id`,
    [id],
  );
  const [measured] = rows;
  if (measured?.visited !== PAGES || measured.tested !== 5)
    throw new Error(`the scan did not visit and test everything: ${JSON.stringify(measured)}`);
  const seconds = { digits: 1, unit: ' s' };
  return {
    rows: [
      row({
        what: `crawl of ${PAGES} pages`,
        ours: [measured.crawlSeconds],
        target: { atMost: 60 },
        ...seconds,
      }),
      row({
        what: 'five states on 5 pages',
        ours: [measured.statesSeconds],
        target: { atMost: 180 },
        ...seconds,
      }),
      row({
        what: 'memory of scanner and Chromium, highest',
        ours: [bytes / 1e6],
        target: { atMost: 1_500 },
        unit: ' MB',
      }),
    ],
    raw: { measured, bytes },
  };
}

/** Scans of a page whose cookies wait for consent. @param {World} world */
async function falseFindings({ database, projectId, loaderTag, scope, baseUrl }) {
  const site = await startScanSite(scope, loaderTag);
  const scanner = await startScanner(scope, database, {
    targets: [site.host, new URL(baseUrl).host],
    environment: { SCANNER_DWELL_SECONDS: '2', SCANNER_HOST_SCANS_PER_DAY: '10000' },
  });
  let found = 0;
  const seconds = [];
  for (let done = 0; done < FALSE_FINDING_SCANS; done++) {
    const startedMs = performance.now();
    const skippedStates = ['reject', 'withdraw', 'signal'];
    const { id } = await scan(database, { projectId, urls: [site.url('/waiting')], skippedStates });
    seconds.push((performance.now() - startedMs) / 1000);
    const { before, accepted } = await findingsOf(database, id);
    if (accepted === 0) throw new Error('the scan did not see what acceptance sets');
    found += before;
    // Old scans would be kept, and 50 at most.
    await database.client.query(`delete from scan where id = $1`, [id]);
  }
  await scanner.stop();
  return {
    rows: [
      row({
        what: `false findings "before consent" in ${FALSE_FINDING_SCANS} scans`,
        ours: [found],
        target: { atMost: 0 },
      }),
    ],
    raw: { found, seconds },
  };
}

/** Consents at a fixed rate, alone and while a scan runs, in turns. @param {World} world */
async function ingestBeside({ database, projectId, loaderTag, scope, baseUrl }) {
  const site = await startScanSite(scope, loaderTag);
  const scanner = await startScanner(scope, database, { targets: [site.host, new URL(baseUrl).host] });
  const load = await startHelper(scope, 'load');
  const [ingesting] = await database.makeProjects(1);
  if (!ingesting) throw new Error('a project was asked for');
  const send = async () => {
    const { wrong, p50Ms, p99Ms } = await load.call('openLoop', {
      baseUrl,
      projectIds: [ingesting.id],
      ratePerSecond: RATE_PER_SECOND,
      seconds: SECONDS,
      warmUpSeconds: WARM_UP_SECONDS,
      track: false,
    });
    if (wrong > 0) throw new Error(`${wrong} consents were not answered 201`);
    return { p50Ms, p99Ms };
  };
  const urls = Array.from({ length: 300 }, (_, n) => site.url(`/page-${n}`));
  await send();
  /** @type {Record<'alone' | 'beside', { p50Ms: number, p99Ms: number }[]>} */
  const rounds = { alone: [], beside: [] };
  for (let round = 0; round < ROUNDS; round++) {
    const kinds = /** @type {const} */ (['alone', 'beside']);
    for (const kind of round % 2 === 0 ? kinds : kinds.toReversed()) {
      const running =
        kind === 'beside' ? await beginScan(database, { projectId, urls, skippedStates: [] }) : null;
      rounds[kind].push(await send());
      if (running) await endScan(database, running);
      await database.emptyOutbox();
    }
  }
  await scanner.stop();
  const p99 = (/** @type {'alone' | 'beside'} */ kind) => rounds[kind].map(({ p99Ms }) => p99Ms);
  return {
    rows: [
      row({
        what: `ingest p99 at ${RATE_PER_SECOND}/s while a scan runs : without`,
        ours: p99('beside'),
        baseline: p99('alone'),
        digits: 2,
        unit: ' ms',
      }),
    ],
    raw: { rounds },
  };
}

/**
 * A scan of one page behind the scans of another account, whose sites answer one page and no other. All are queued by SQL:
 * the API queues at most 20 of an account. @param {World} world
 */
async function turnBehind({ database, projectId, scope }) {
  const server = createServer(({ url = '' }, response) => {
    if (url.endsWith('.js')) return void response.setHeader('content-type', 'text/javascript').end();
    if (url.startsWith('/hang')) return;
    response.setHeader('content-type', 'text/html');
    response.end(`<!doctype html><script src="/cdn${url}loader.js"></script>`);
  });
  const host = await listenOnLoopback(server, scope);
  const account = v7();
  const hanging = Array.from({ length: HANGING_PAGES }, (_, n) => `http://${host}/hang/${n}`);
  for (const { id: owned } of await database.makeProjects(QUEUED_SCANS)) {
    const urls = [`http://${host}/${owned}/`, ...hanging];
    await queueScan(database, { projectId: owned, urls, skippedStates: [], account });
  }
  const scanner = await startScanner(scope, database, {
    targets: [host],
    environment: {
      SCANNER_PAGE_SECONDS: String(HANG_SECONDS),
      SCANNER_HOST_SCANS_PER_DAY: '1000',
    },
  });
  await pollUntil(database, `exists (select from scan where status = 'running')`);
  const urls = [`http://${host}/${projectId}/`];
  const id = await queueScan(database, { projectId, urls, skippedStates: ['accept', 'reject', 'signal'] });
  await pollStatus(database, id, (status) => status !== 'queued');
  const { rows } = await database.client.query(
    `select extract(epoch from started_at - created_at)::float8 as seconds from scan where id = $1`,
    [id],
  );
  await scanner.stop();
  return {
    rows: [
      row({
        what: `until a scan starts behind ${QUEUED_SCANS} queued scans of another account`,
        ours: [rows[0].seconds],
        target: { atMost: 180 },
        digits: 1,
        unit: ' s',
      }),
    ],
    raw: { seconds: rows[0].seconds },
  };
}

/** @param {import('./support/database.mjs').Database} database @param {string} condition */
async function pollUntil(database, condition) {
  const deadlineMs = performance.now() + SCAN_DEADLINE_MS;
  while (!(await database.client.query(`select ${condition} as reached`)).rows[0].reached) {
    if (performance.now() > deadlineMs) throw new Error(`not reached: ${condition}`);
    await sleep(POLL_MS);
  }
}

/**
 * Queues a scan and waits for its end.
 * @param {import('./support/database.mjs').Database} database
 * @param {{ projectId: string, urls: string[], skippedStates: string[] }} request
 */
async function scan(database, request) {
  const id = await queueScan(database, request);
  const status = await pollStatus(database, id, (each) => !['queued', 'running'].includes(each));
  if (status !== 'completed' && isFullSize()) throw new Error(`the scan ended as ${status}`);
  return { id, status };
}

/**
 * @param {import('./support/database.mjs').Database} database
 * @param {{ projectId: string, urls: string[], skippedStates: string[] }} request
 */
async function beginScan(database, request) {
  const id = await queueScan(database, request);
  const deadlineMs = performance.now() + SCAN_DEADLINE_MS;
  for (;;) {
    const { rows } = await database.client.query(
      `select 1 from scan_page where scan_id = $1 and status = 'visited' limit 1`,
      [id],
    );
    if (rows.length > 0) return id;
    if (performance.now() > deadlineMs) throw new Error('the scan did not begin');
    await sleep(POLL_MS);
  }
}

/** @param {import('./support/database.mjs').Database} database @param {string} id */
async function endScan(database, id) {
  await database.client.query(
    `update scan set status = 'canceled', ended_at = now(), claim_id = null, leased_until = null where id = $1`,
    [id],
  );
  // The scanner learns of it within its lease, and closes the browser.
  await sleep(8_000);
}

/**
 * @param {import('./support/database.mjs').Database} database
 * @param {{ projectId: string, urls: string[], skippedStates: string[], account?: string }} request
 */
async function queueScan(database, { projectId, urls, skippedStates, account = projectId }) {
  const id = v7();
  await database.client.query(
    `insert into scan (account_id, project_id, id, urls, domains, pages_max, skipped_states, ignore_robots, origin)
     values ($5, $1, $2, $3, '{127.0.0.1}', 1000, $4, false, 'manual')`,
    [projectId, id, urls, skippedStates, account],
  );
  return id;
}

/**
 * @param {import('./support/database.mjs').Database} database
 * @param {string} id
 * @param {(status: string) => boolean} isReached
 */
async function pollStatus(database, id, isReached) {
  const deadlineMs = performance.now() + SCAN_DEADLINE_MS;
  for (;;) {
    const { rows } = await database.client.query('select status from scan where id = $1', [id]);
    if (isReached(rows[0].status)) return rows[0].status;
    if (performance.now() > deadlineMs) throw new Error(`the scan is still ${rows[0].status}`);
    await sleep(POLL_MS);
  }
}

/**
 * What the worker found once it has evaluated the scan.
 * @param {import('./support/database.mjs').Database} database
 * @param {string} id
 */
async function findingsOf(database, id) {
  const deadlineMs = performance.now() + SCAN_DEADLINE_MS;
  for (;;) {
    const { rows } = await database.client.query(
      `select exists (select from scan_proof where scan_id = $1) as evaluated,
              (select count(*)::int from scan_finding_seen e join scan_finding f
                 on f.project_id = e.project_id and f.id = e.finding_id
               where e.scan_id = $1 and f.kind = 'before_consent') as before,
              (select count(*)::int from scan_item where scan_id = $1 and state = 'accept' and name = '_ga') as accepted`,
      [id],
    );
    if (rows[0].evaluated) return /** @type {{ before: number, accepted: number }} */ (rows[0]);
    if (performance.now() > deadlineMs) throw new Error('the scan was not evaluated');
    await sleep(POLL_MS);
  }
}

/** @param {string} baseUrl @param {string} projectId @param {string} key */
async function publishBanner(baseUrl, projectId, key) {
  const response = await fetch(`${baseUrl}/v1/projects/${projectId}/configuration`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ banner: { enabled: true } }),
  });
  if (!response.ok) throw new Error(`the banner was not published: ${await response.text()}`);
}

/**
 * The highest memory of a process and all below it: what is their own or shared between them, without mapped files.
 * @param {number} root
 */
function sampleMemory(root) {
  let highest = 0;
  const sampling = setInterval(() => {
    const bytes = treeOf(root).reduce((sum, pid) => sum + memoryOf(pid), 0);
    highest = Math.max(highest, bytes);
  }, POLL_MS);
  return {
    stop: () => {
      clearInterval(sampling);
      return highest;
    },
  };
}

/** @param {number} root */
function treeOf(root) {
  const parents = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => {
      const stat = readOf(name, 'stat');
      return { pid: Number(name), parent: Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]) };
    });
  const tree = [root];
  for (const pid of tree)
    tree.push(...parents.filter(({ parent }) => parent === pid).map((each) => each.pid));
  return tree;
}

/** @param {number} pid */
function memoryOf(pid) {
  const lines = [...readOf(String(pid), 'status').matchAll(/^Rss(?:Anon|Shmem):\s+(\d+) kB$/gm)];
  return lines.reduce((sum, [, kilobytes]) => sum + Number(kilobytes) * KILOBYTE, 0);
}

/** @param {string} pid @param {string} name */
function readOf(pid, name) {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8');
  } catch {
    // It has ended.
    return '';
  }
}
