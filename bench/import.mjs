// Import: a file of a million consents beside consents that arrive, and and the latency of those consents.
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { startDatabase } from './support/database.mjs';
import { startHelper } from './support/helper.mjs';
import { row } from './support/report.mjs';
import { scaledCount, scaledRate, scaledRounds, scaledSeconds } from './support/scale.mjs';
import { startService } from './support/service.mjs';

const ROWS = scaledCount(1_000_000, 5_000);
const RATE_PER_SECOND = scaledRate(500);
const PROJECTS = 20;
const ROUNDS = scaledRounds(4);
const SECONDS = scaledSeconds(8);
const WARM_UP_SECONDS = 1;
const PART_BYTES = 8 * 1024 * 1024;
const LOOK_MS = 250;
const MONTHS = 10;
const MONTH_MS = 30 * 24 * 60 * 60_000;
const MEBIBYTE = 1024 ** 2;

export const deadlineMs = 900_000;
export const title = `Import of ${ROWS.toLocaleString('en')} rows beside ${RATE_PER_SECOND} consents/s`;

/**
 * @param {import('./support/scope.mjs').Scope} scope
 * @returns {Promise<Omit<import('./support/report.mjs').Report, 'name' | 'title'>>}
 */
export async function run(scope) {
  const database = await startDatabase(scope);
  const api = await startService(scope, database);
  const worker = await startService(scope, database, { program: 'worker' });
  const load = await startHelper(scope, 'load');
  const projects = await database.makeProjects(PROJECTS);
  const [own] = await database.makeProjects(1);
  const key = await database.makeApiKey(own.id, 'owner');
  const send = async (seconds = SECONDS) => {
    const sent = await load.call('openLoop', {
      baseUrl: api.baseUrl,
      projectIds: projects.map(({ id }) => id),
      ratePerSecond: RATE_PER_SECOND,
      seconds,
      warmUpSeconds: WARM_UP_SECONDS,
      track: false,
    });
    if (sent.wrong > 0) throw new Error(`${sent.wrong} consents were not answered 201`);
    return sent;
  };
  const call = async (/** @type {string} */ method, /** @type {string} */ path, /** @type {any} */ body) => {
    const isBytes = Buffer.isBuffer(body);
    const answer = await fetch(`${api.baseUrl}/v1/projects/${own.id}/imports${path}`, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(body !== undefined && {
          'content-type': isBytes ? 'application/octet-stream' : 'application/json',
        }),
      },
      ...(body !== undefined && { body: isBytes ? body : JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
    return text === '' ? {} : JSON.parse(text);
  };

  await send();
  /** @type {number[]} */
  const alone = [];
  for (let round = 0; round < ROUNDS; round++) alone.push((await send()).p99Ms);

  const file = makeFile();
  const { id, partCount } = await call('POST', '', {
    profile: 'generic',
    fileName: 'consents.csv',
    size: file.length,
  });
  for (let number = 1; number <= partCount; number++)
    await call(
      'PUT',
      `/${id}/parts/${number}`,
      file.subarray((number - 1) * PART_BYTES, number * PART_BYTES),
    );
  await sleep(LOOK_MS);
  const before = memoryOf(worker.pid);
  const startedMs = performance.now();
  await call('POST', `/${id}/start`, {});
  let peak = before;
  let seconds = 0;
  /** @type {{ ended: any }} */
  const state = { ended: null };
  const watching = (async () => {
    for (;;) {
      peak = Math.max(peak, memoryOf(worker.pid));
      const found = await call('GET', `/${id}`, undefined);
      if (found.state !== 'running') {
        state.ended = found;
        seconds = (performance.now() - startedMs) / 1000;
        return;
      }
      await sleep(LOOK_MS);
    }
  })();
  /** @type {number[]} */
  const beside = [];
  // A round that the import did not last for says nothing.
  while (state.ended === null) {
    const { p99Ms } = await send();
    if (state.ended === null || beside.length === 0) beside.push(p99Ms);
  }
  await watching;
  const { ended } = state;
  if (ended.stored !== ROWS)
    throw new Error(`${ended.stored} of ${ROWS} rows were stored: ${JSON.stringify(ended)}`);
  const after = [];
  for (let round = 0; round < ROUNDS; round++) after.push((await send()).p99Ms);

  const ms = { digits: 1, unit: ' ms' };
  return {
    database: await database.facts(),
    rows: [
      row({ what: 'time of the import', ours: [seconds], target: { atMost: 300 }, digits: 1, unit: ' s' }),
      row({ what: 'rows/s', ours: [ROWS / seconds] }),
      row({
        what: 'ingest p99, beside the import : without it',
        ours: beside,
        baseline: [...alone, ...after],
        target: { ratioAtMost: 1.1, differenceAtMost: 2, either: true },
        ...ms,
      }),
      row({
        what: 'memory of the worker, more than before',
        ours: [(peak - before) / MEBIBYTE],
        target: { atMost: 100 },
        digits: 0,
        unit: ' MiB',
      }),
    ],
    raw: { rows: ROWS, seconds, alone, beside, after, before, peak, bytes: file.length },
  };
}

/** Consents of ten months in the columns of the generic profile. */
function makeFile() {
  const first = Date.now() - MONTHS * MONTH_MS;
  const step = Math.floor((MONTHS * MONTH_MS) / (ROWS + 1));
  const pieces = [Buffer.from('id,givenAt,analytics,marketing,preferences,action,hostname,language\n')];
  for (let from = 0; from < ROWS; from += 10_000) {
    let text = '';
    for (let index = from; index < Math.min(ROWS, from + 10_000); index++) {
      const at = new Date(first + index * step).toISOString();
      text += `c-${index},${at},true,${index % 2 === 0},${index % 3 === 0},custom,www.shop.example,en\n`;
    }
    pieces.push(Buffer.from(text));
  }
  return Buffer.concat(pieces);
}

/** Resident memory of a process, in bytes. @param {number} pid */
function memoryOf(pid) {
  const kilobytes = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kilobytes ?? 0) * 1024;
}
