import { hash, randomBytes } from 'node:crypto';

import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AsnConvert } from '@peculiar/asn1-schema';
import { TimeStampReq } from '@peculiar/asn1-tsp';
import { Logger } from '@nestjs/common';
import {
  RootTimestamper,
  type TimestampOutcome,
} from '../../src/modules/evidence/application/root-timestamper.js';
import {
  findNewestTimestamp,
  findTimestampCovering,
} from '../../src/modules/evidence/infrastructure/timestamp.rows.js';
import { LogStorage } from '../../src/modules/evidence/infrastructure/log-storage.js';
import { choose } from '../support/programs/pipeline.js';
import { createTestProject, type TestProject } from '../support/people/project.js';
import { type Outcome, runEvidence } from '../support/programs/run-ops.js';
import { pinHorizon } from '../support/database/evidence-steps.js';
import { startTestService, type TestService } from '../support/programs/service.js';
import {
  rejection,
  reply,
  startTimeStampService,
  type TestTimeStampService,
  type TimeStampBehaviour,
  unsignedTimeStamp,
} from '../support/fakes/timestamp-service.js';
import { until } from '../support/until.js';

const KEY = `e1:${randomBytes(32).toString('base64')}`;

const stampAsAsked: TimeStampBehaviour = (query, response) => reply(response, unsignedTimeStamp(query));

let stamper: TestTimeStampService;
let service: TestService;
let releaseHorizon: () => Promise<void>;
let project: TestProject;
beforeAll(async () => {
  stamper = await startTimeStampService(stampAsAsked);
  service = await startTestService({
    RUN_WORKER: 'true',
    EVIDENCE_KEYS: KEY,
    EVIDENCE_SEAL_SECONDS: '1',
    EVIDENCE_ROOT_SECONDS: '1',
    EVIDENCE_TIMESTAMP_URL: stamper.url,
    EVIDENCE_TIMESTAMP_SECONDS: '1',
    OUTBOX_POLL_MS: '50',
  });
  releaseHorizon = pinHorizon(service);
  project = await createTestProject(service);
});
afterAll(async () => {
  await service.close();
  await stamper.close();
});

const get = (path: string): Promise<Response> => fetch(`${service.baseUrl}${path}`);
const textAt = async (path: string): Promise<string> => (await get(path)).text();
const sizeOf = (checkpoint: string): number => Number(checkpoint.split('\n')[1] ?? 0);
const newest = async (): Promise<{ size: number; stampedAt: string } | null> => {
  const answer = await get('/log/timestamp');
  return answer.status === 200 ? ((await answer.json()) as { size: number; stampedAt: string }) : null;
};
const rootSize = async (): Promise<number> => sizeOf(await textAt('/log/checkpoint'));
const metric = async (name: string): Promise<number> => {
  const [, value] =
    new RegExp(`^${name.replaceAll(/[{}]/g, '\\$&')} (\\S+)$`, 'm').exec(await textAt('/metrics')) ?? [];
  return Number(value ?? 0);
};
/** Has one more checkpoint of the root log signed. Returns its size. */
async function grow(): Promise<number> {
  const before = await rootSize().catch(() => 0);
  await choose(service, project.id);
  await releaseHorizon();
  await until('the root log has grown', async () => (await rootSize()) > (before || 0));
  return rootSize();
}
/** Makes pending requests due now; true where a pending request has failed this often. */
async function tryAgain(failures: number): Promise<boolean> {
  const tried = await service.database.query(
    `update outbox_message set available_at = now() where topic = 'timestamp.due' and failures = $1 returning id`,
    [failures],
  );
  return tried.length > 0;
}

it('has the newest checkpoint of the root log stamped, and shows both to anybody', async () => {
  expect((await get('/log/timestamp')).status).toBe(404);
  expect((await get('/log/timestamp/1')).status).toBe(404);
  const size = await grow();
  const stamped = await until('it is stamped', newest);
  expect(stamped.size).toBe(size);
  const checkpoint = await textAt(`/log/timestamp/${size}/checkpoint`);
  expect(checkpoint).toBe(await textAt('/log/checkpoint'));
  const answer = await get(`/log/timestamp/${size}`);
  expect(answer.headers.get('content-type')).toBe('application/timestamp-reply');
  expect(answer.headers.get('content-disposition')).toBe(`attachment; filename=${size}.tsr`);
  expect(answer.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
  expect(answer.headers.get('access-control-allow-origin')).toBe('*');
  const query = stamper.queries.at(-1) ?? Buffer.alloc(0);
  const { messageImprint, certReq } = AsnConvert.parse(query, TimeStampReq);
  expect(certReq).toBe(true);
  expect(Buffer.from(messageImprint.hashedMessage.buffer)).toEqual(hash('sha256', checkpoint, 'buffer'));
  expect(Buffer.from(await answer.arrayBuffer())).toEqual(
    unsignedTimeStamp(query, { at: new Date(stamped.stampedAt) }),
  );
  expect(await metric('evidence_timestamps_total{outcome="stamped"}')).toBe(1);
});

it('shows for each size the first timestamp that covers it, and leads to it by hashes', async () => {
  const first = await until('there is one', newest);
  await grow();
  const later = await until('there is a later one', async () => {
    const stamp = await newest();
    return stamp && stamp.size > first.size ? stamp : null;
  });
  const covering = async (size: number | string): Promise<number> => {
    const answer = await get(`/log/timestamp/${size}/checkpoint`);
    return answer.status === 200 ? sizeOf(await answer.text()) : answer.status;
  };
  expect(await covering(first.size)).toBe(first.size);
  expect(await covering(first.size + 1)).toBe(later.size);
  expect(await covering(later.size + 1)).toBe(404);
  for (const none of ['0', '-1', '1.5', 'x', '01', '9'.repeat(40)]) expect(await covering(none)).toBe(404);

  const hashes = await get(`/log/consistency?from=${first.size}&to=${later.size}`);
  expect(hashes.status).toBe(200);
  expect(await hashes.text()).toMatch(/^([A-Za-z0-9+/]{43}=\n)+$/);
  expect((await get(`/log/consistency?from=2&to=1`)).status).toBe(422);
  expect((await get(`/log/consistency?from=1&to=${later.size + 100}`)).status).toBe(404);
});

const ops = (...args: string[]): Promise<Outcome> => opsWith(KEY, ...args);
const opsWith = (keys: string, ...args: string[]): Promise<Outcome> =>
  runEvidence(service, { keys, environment: { EVIDENCE_TIMESTAMP_URL: stamper.url } }, args);

it('is told of to an operator', async () => {
  const { size, stampedAt } = await until('there is one', newest);
  expect((await ops('status')).out).toContain(
    `The timestamp service stamped ${size} entries of the root log at ${stampedAt}.\n`,
  );
});

it('is checked by an operator against its checkpoint and the log, in the storage as it is', async () => {
  const { storage } = service.settings.evidence;
  if (storage.kind !== 'folder') throw new Error('not a folder');
  const folder = join(storage.path, 'log', 'timestamp');
  const [first, second] = await service.database.query<{ size: number }>(
    'select size::int from evidence_timestamp order by size limit 2',
  );
  if (!first || !second) throw new Error('There are no two timestamps.');
  const fileOf = ({ size }: { size: number }, kind: string): string => join(folder, `${size}.${kind}`);
  const stamps = async (): Promise<string> =>
    (await ops('check', '--all')).out.split('\n').find((line) => line.includes(' timestamps ')) ?? '';
  expect(await stamps()).toMatch(/^\d+ timestamps {2}ok$/);

  const [answer, note] = [readFileSync(fileOf(first, 'tsr')), readFileSync(fileOf(first, 'checkpoint'))];
  const others = readFileSync(fileOf(second, 'checkpoint'));
  const damages: [string, Buffer | null, string][] = [
    ['tsr', readFileSync(fileOf(second, 'tsr')), 'the timestamp does not match its checkpoint'],
    ['tsr', null, 'is missing from storage'],
    [
      'checkpoint',
      readFileSync(fileOf(second, 'checkpoint')),
      'the stamped data is not a checkpoint of that size',
    ],
  ];
  for (const [kind, damaged, said] of damages) {
    if (damaged) writeFileSync(fileOf(first, kind), damaged);
    else rmSync(fileOf(first, kind));
    expect(await stamps()).toMatch(new RegExp(`${first.size} entries: .*${said}`));
    writeFileSync(fileOf(first, kind), kind === 'tsr' ? answer : note);
  }
  rmSync(fileOf(second, 'checkpoint'));
  expect(await stamps()).toMatch(new RegExp(`${second.size} entries: .*is missing from storage`));
  writeFileSync(fileOf(second, 'checkpoint'), others);
  expect(await stamps()).toContain('timestamps  ok');
  // Also when the key that signed then was rotated out.
  const rotated = await opsWith(`e2:${randomBytes(32).toString('base64')}`, 'check', '--all');
  expect(rotated.out).toMatch(/^\d+ timestamps {2}ok$/m);
});

const digestIn = (query: Buffer): Buffer =>
  Buffer.from(AsnConvert.parse(query, TimeStampReq).messageImprint.hashedMessage.buffer);
const stampNow = (): Promise<TimestampOutcome> =>
  service.app.get(RootTimestamper, { strict: false }).stamp(new AbortController().signal);

it('gives a checkpoint one timestamp, whoever asks for it at the same time', async () => {
  const held: (() => void)[] = [];
  stamper.behave((query, response) => void held.push(() => stampAsAsked(query, response)));
  const size = await grow();
  await until('a worker asks', () => held.length > 0);
  const other = stampNow();
  await until('the other one asks', () => held.length > 1);
  stamper.behave(stampAsAsked);
  for (const release of held) release();
  expect(await other).toEqual({ kind: 'stamped' });
  await until('it is stamped', async () => ((await newest())?.size ?? 0) >= size);
  const rows = await service.database.query(`select from evidence_timestamp where size = $1`, [size]);
  expect(rows).toHaveLength(1);
  const answer = Buffer.from(await (await get(`/log/timestamp/${size}`)).arrayBuffer());
  const checkpoint = await textAt(`/log/timestamp/${size}/checkpoint`);
  expect(answer.includes(hash('sha256', checkpoint, 'buffer'))).toBe(true);
});

it('leaves what was the first to cover a size where another one comes late', async () => {
  const held: (() => void)[] = [];
  let heldDigest: Buffer | null = null;
  stamper.behave((query, response) => {
    heldDigest ??= digestIn(query);
    if (digestIn(query).equals(heldDigest)) held.push(() => stampAsAsked(query, response));
    else stampAsAsked(query, response);
  });
  const size = await grow();
  const late = stampNow();
  await until('it is held', () => held.length > 0);
  const later = await grow();
  expect(await stampNow()).toEqual({ kind: 'stamped' });
  const firstCovering = async (): Promise<number> =>
    sizeOf(await textAt(`/log/timestamp/${size}/checkpoint`));
  expect(await firstCovering()).toBe(later);
  for (const release of held) release();
  expect(await late).toEqual({ kind: 'stamped' });
  expect(await firstCovering()).toBe(later);
  stamper.behave(stampAsAsked);
});

describe('a timestamp service', () => {
  let stampedBefore: number;
  /** Lines of the log. */
  let said = 0;
  const { warn } = Logger.prototype;
  /** Failures of the pending request. */
  let failures = 0;
  beforeAll(async () => {
    stampedBefore = (await until('there is a timestamp', newest)).size;
    await until('nothing waits', async () => !(await waiting()));
    Logger.prototype.warn = function countedWarn(this: Logger, ...given: [unknown, ...unknown[]]) {
      if (given.some((each) => String(each).includes('timestamp'))) said += 1;
      warn.apply(this, given);
    };
  });
  afterAll(() => void (Logger.prototype.warn = warn));

  const waiting = async (): Promise<{ failures: number } | undefined> => {
    const [row] = await service.database.query<{ failures: number }>(
      `select failures from outbox_message where topic = 'timestamp.due'`,
    );
    return row;
  };

  it.each<[string, TimeStampBehaviour]>([
    ['unreachable', (_query, response) => void response.destroy()],
    ['http_status', (_query, response) => void response.writeHead(503).end()],
    ['http_status', (_query, response) => void response.writeHead(307, { location: stamper.url }).end()],
    ['malformed', (_query, response) => reply(response, Buffer.from('<html>Come back later</html>'))],
    ['malformed', (_query, response) => reply(response, Buffer.alloc(0))],
    ['rejected', (_query, response) => reply(response, rejection('not today'))],
    [
      'other_data',
      (query, response) => reply(response, unsignedTimeStamp(query, { digest: Buffer.alloc(32) })),
    ],
    ['other_nonce', (query, response) => reply(response, unsignedTimeStamp(query, { nonce: Buffer.of(7) }))],
    ['other_nonce', (query, response) => reply(response, unsignedTimeStamp(query, { nonce: null }))],
    [
      'too_long',
      (query, response) => reply(response, Buffer.concat([unsignedTimeStamp(query), Buffer.alloc(70_000)])),
    ],
    ['too_long', endless],
    ['timeout', drip],
  ])('that is %s stamps nothing and holds up nothing', async (reason, behaviour) => {
    stamper.behave(behaviour);
    const name = `evidence_timestamps_total{outcome="${reason}"}`;
    const before = await metric(name);
    if (failures === 0) await grow();
    else await tryAgain(failures);
    // The lane of the timestamps is busy during this.
    if (reason === 'timeout') await grow();
    await until(`it is known to be ${reason}`, async () => (await metric(name)) > before);
    failures += 1;
    await until('it waits for its next turn', async () => (await waiting())?.failures === failures);
    expect((await newest())?.size).toBe(stampedBefore);
    expect(said).toBe(1);
  });

  it('that works again stamps what is the newest by then', async () => {
    expect(await metric('evidence_timestamp_lag_seconds')).toBeGreaterThan(5);
    const size = await rootSize();
    const failing = service.app.get(LogStorage, { strict: false });
    const put = failing.putTimestamp.bind(failing);
    // As after a crash: both objects exist, and no row refers to them.
    failing.putTimestamp = async (...given) => {
      await put(...given);
      throw new Error('EIO');
    };
    stamper.behave(stampAsAsked);
    await tryAgain(failures);
    await until(
      'the storage is away',
      async () => (await metric('evidence_timestamps_total{outcome="storage"}')) > 0,
    );
    expect((await newest())?.size).toBe(stampedBefore);
    expect((await get(`/log/timestamp/${stampedBefore + 1}`)).status).toBe(404);
    failing.putTimestamp = put;
    await until('it waits', async () => (await waiting())?.failures === failures + 1);
    await tryAgain(failures + 1);
    await until('it is stamped', async () => ((await newest())?.size ?? 0) >= size);
    await until('no more is due', async () => (await metric('evidence_timestamp_lag_seconds')) < 5);
    expect(said).toBe(1);
  });
});

it('is of one root log: a root log that continues another one gets its own', async () => {
  const em = service.database.orm.em.fork();
  const size = await rootSize();
  await service.database.query(
    `insert into evidence_timestamp (epoch, size, stamped_at, written_at)
     values (2, 1, now(), now() - interval '1 hour')`,
  );
  expect(await findNewestTimestamp(em)).toMatchObject({ epoch: 2, size: 1 });
  expect(await findTimestampCovering(em, { epoch: 2, size: 2 })).toBeNull();
  await service.database.query('update evidence_timestamp set size = $1 where epoch = 2', [10 * size]);
  expect(await findTimestampCovering(em, { epoch: 1, size: 5 * size })).toBeNull();
  // That of the other root log does not cover this one.
  expect(await service.app.get(RootTimestamper, { strict: false }).findDue()).toMatchObject({
    epoch: 1,
    size,
  });
});

/** Bytes for as long as anybody reads them. */
function endless(_query: Buffer, response: ServerResponse): void {
  response.writeHead(200);
  const more = (): void => {
    while (!response.destroyed && response.write(Buffer.alloc(16_384, 0x30)));
  };
  response.on('drain', more);
  more();
}

/** A byte now and then. */
function drip(_query: Buffer, response: ServerResponse): void {
  response.writeHead(200);
  const timer = setInterval(() => response.write(Buffer.of(0x30)), 100);
  response.on('close', () => clearInterval(timer));
}
