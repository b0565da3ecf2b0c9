import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ErasureService } from '../../src/modules/consent/application/erasure.service.js';
import {
  CHECKED_AT_ONCE,
  checkRecordPage,
  type PageCheck,
} from '../../src/modules/evidence/application/check-records.js';
import { DailyCheck } from '../../src/modules/evidence/application/log-maintenance.js';
import { LogSigner } from '../../src/modules/evidence/application/log-signer.js';
import { countChecks, nextLogToCheck } from '../../src/modules/evidence/infrastructure/check.rows.js';
import { LogStorage } from '../../src/modules/evidence/infrastructure/log-storage.js';
import { newId } from '../../src/platform/identity/ids.js';
import { eventsOf } from '../support/people/event-endpoint.js';
import { createTestProject, type TestProject } from '../support/people/project.js';
import { type Outcome, runEvidence } from '../support/programs/run-ops.js';
import { type EvidenceSteps, evidenceSteps } from '../support/database/evidence-steps.js';
import { startTestService, type TestService } from '../support/programs/service.js';
import { until } from '../support/until.js';

const KEY = `e1:${randomBytes(32).toString('base64')}`;
const HASHED = `sha256:${'0f'.repeat(32)}`;

let service: TestService;
let steps: EvidenceSteps;
beforeAll(async () => {
  service = await startTestService({ EVIDENCE_KEYS: KEY });
  steps = evidenceSteps(service);
  // Far enough back that no clock is an excuse.
  await service.database.query(`update sequencer_cursor set begins_at = now() - interval '2 days'`);
});
afterAll(() => service.close());

const get = <T>(type: new (...args: never[]) => T): T => service.app.get(type, { strict: false });
const query = (text: string, values: unknown[] = []): Promise<Record<string, unknown>[]> =>
  service.database.query(text, values);

async function store(project: TestProject, count: number, extra: object = { plan: 'x' }): Promise<string[]> {
  const ids = Array.from({ length: count }, () => newId());
  await query(
    `insert into consent_record (project_id, id, analytics, marketing, preferences, action, extra, received_at, salt)
     select $1, id, true, false, false, 'custom', $3, date_trunc('milliseconds', now()),
            decode(md5(id::text) || md5(id::text), 'hex')
     from unnest($2::uuid[]) as t (id)`,
    [project.id, ids, extra],
  );
  return ids;
}

async function sealed(count: number, extra?: object): Promise<{ project: TestProject; ids: string[] }> {
  const project = await createTestProject(service);
  const ids = await store(project, count, extra);
  expect(await steps.seal(project.id)).toBe('published');
  return { project, ids };
}

const erase = (project: TestProject, id: string): Promise<unknown> =>
  get(ErasureService).eraseOne({ projectId: project.id, consentId: id }, 'as asked', {
    kind: 'operator',
    id: null,
  });

/** Waits for older transactions of other tests on the server: until then, records are not compared with the cursor. */
const untilComparable = (): Promise<unknown> =>
  until('no older transaction is open', async () => {
    const [row] = await query(
      'select pg_snapshot_xmin(pg_current_snapshot())::text::bigint >= after_xid as "isPast" from sequencer_cursor',
    );
    return row?.isPast === true;
  });

async function ops(...args: string[]): Promise<Outcome> {
  await untilComparable();
  return runEvidence(service, { keys: KEY }, args);
}

async function checkPage(project: TestProject, keptSince = new Date(0)): Promise<PageCheck> {
  await untilComparable();
  const tools = {
    em: service.database.orm.em,
    storage: get(LogStorage),
    signer: get(LogSigner),
    keptSince: () => keptSince,
  };
  return checkRecordPage(tools, { projectId: project.id, afterId: null, now: new Date() });
}

const WELL = { hashed: 0, findings: [], afterId: null };

describe('records and their leaves', () => {
  it('names records that were changed, removed and backdated, and no others', async () => {
    const { project, ids } = await sealed(8);
    const [changed = '', gone = '', early = '', late = '', unsalted = ''] = ids;
    expect((await ops('check', project.id)).out).toBe(
      `${project.id}  8 entries  ok\n${project.id}  8 records  ok\n`,
    );
    await query('update consent_record set marketing = true where id = $1', [changed]);
    await query('delete from consent_record where id = $1', [gone]);
    await query(`update consent_record set received_at = received_at - interval '3 days' where id = $1`, [
      early,
    ]);
    await query(`update consent_record set received_at = received_at - interval '2 hours' where id = $1`, [
      late,
    ]);
    await query('update consent_record set salt = null where id = $1', [unsalted]);
    // By a transaction that the sequencer has passed long ago.
    const [hidden = ''] = await store(project, 1);
    await query('update consent_record set stored_xid = 3 where id = $1', [hidden]);
    await steps.seal(project.id);

    const found = await ops('check', project.id);
    expect(found).toMatchObject({ code: 1, err: 'Problems were found in 1 of the logs.\n' });
    const lines = found.out.split('\n').filter((line) => / (changed|missing|backdated): /.test(line));
    expect(lines).toEqual([
      `${project.id}  ${changed}  changed: It differs from its entry in the log.`,
      `${project.id}  ${gone}  missing: It is missing, and no erasure is stored.`,
      expect.stringMatching(`${early}  backdated: received_at is .*, but evidence was turned on at `),
      expect.stringMatching(`${late}  backdated: received_at is .*, but its id was created at `),
      `${project.id}  ${unsalted}  changed: It differs from its entry in the log.`,
      `${project.id}  ${hidden}  backdated: It has an older transaction than records that are in the log already.`,
    ]);
    expect(found.out).toContain(`${project.id}  9 records  6 with problems\n`);
  });

  it('names an erasure that was changed, removed or made up', async () => {
    const { project, ids } = await sealed(4);
    const [changed = '', gone = '', madeUp = ''] = ids;
    await erase(project, changed);
    await erase(project, gone);
    await steps.seal(project.id);
    expect(await checkPage(project)).toEqual({ ...WELL, compared: 4 });
    await query(`update erased_record set erased_at = erased_at - interval '1 day' where consent_id = $1`, [
      changed,
    ]);
    await query('delete from erased_record where consent_id = $1', [gone]);
    await query('delete from consent_record where id = $1', [madeUp]);
    await query('insert into erased_record (project_id, consent_id, stored_xid) values ($1, $2, 3)', [
      project.id,
      madeUp,
    ]);
    expect((await checkPage(project)).findings).toMatchObject([
      { id: changed, kind: 'changed' },
      { id: gone, kind: 'missing' },
      { id: madeUp, kind: 'backdated' },
    ]);
  });

  it('finds nothing in what is erased, sent again, not sealed yet, or past its retention', async () => {
    const { project, ids } = await sealed(3);
    const [again = '', erased = ''] = ids;
    await erase(project, again);
    await erase(project, erased);
    expect(await checkPage(project)).toEqual({ ...WELL, compared: 1 });
    await steps.seal(project.id);
    await query(
      `insert into consent_record (project_id, id, analytics, marketing, preferences, action, salt)
       values ($1, $2, true, false, false, 'custom', $3)`,
      [project.id, again, randomBytes(32)],
    );
    await store(project, 1);
    expect(await checkPage(project)).toEqual({ ...WELL, compared: 2 });
    await steps.seal(project.id);
    expect(await checkPage(project)).toEqual({ ...WELL, compared: 4 });
    await query('delete from consent_record where project_id = $1', [project.id]);
    expect((await checkPage(project)).findings).toHaveLength(3);
    expect(await checkPage(project, new Date(Date.now() + 60_000))).toEqual({ ...WELL, compared: 0 });
  });

  it('finds nothing while the database is on another server, or records are searched for leaves', async () => {
    const { project } = await sealed(1);
    const [hidden = ''] = await store(project, 1);
    await query('update consent_record set stored_xid = 3 where id = $1', [hidden]);
    await query('insert into evidence_backfill (project_id) values ($1)', [project.id]);
    expect(await checkPage(project)).toEqual({ ...WELL, compared: 1 });
    await query('delete from evidence_backfill where project_id = $1', [project.id]);
    expect((await checkPage(project)).findings).toMatchObject([{ id: hidden, kind: 'backdated' }]);
    const [{ cluster } = { cluster: null }] = await query('select cluster from sequencer_cursor');
    await query(`update sequencer_cursor set cluster = 'another'`);
    expect(await checkPage(project)).toEqual({ ...WELL, compared: 1 });
    await query('update sequencer_cursor set cluster = $1', [cluster]);
  });

  it('tells a visitor that is kept as a hash since from a change', async () => {
    const { project, ids } = await sealed(2, { customer: '42' });
    const [hashed = ''] = ids;
    await query(
      `insert into visitor_reference (project_id, field, hashed, salt) values ($1, 'customer', true, '\\x00')`,
      [project.id],
    );
    await query('update consent_record set extra = $2 where id = $1', [hashed, { customer: HASHED }]);
    expect(await checkPage(project)).toEqual({ ...WELL, compared: 2, hashed: 1 });
    const checked = await ops('check', project.id);
    expect(checked).toMatchObject({ code: 0, err: '' });
    expect(checked.out).toContain(
      `${project.id}  1 records cannot be compared: their visitor references were hashed since\n`,
    );
  });

  it('names a changed record to which a hash was added that no setting explains', async () => {
    const { project, ids } = await sealed(1);
    await query(`update consent_record set marketing = true, extra = $2 where id = $1`, [
      ids[0],
      { plan: 'x', note: HASHED },
    ]);
    expect((await checkPage(project)).findings).toMatchObject([{ id: ids[0], kind: 'changed' }]);
    await query(
      `insert into visitor_reference (project_id, field, hashed, salt) values ($1, 'customer', true, '\\x00')`,
      [project.id],
    );
    expect((await checkPage(project)).findings).toMatchObject([{ id: ids[0], kind: 'changed' }]);
  });

  it('names records and entries whose leaf is moved beyond the log, or to a log that does not exist', async () => {
    const { project, ids } = await sealed(3);
    const [beyond = '', unknown = '', negative = ''] = ids;
    await query('update consent_record set marketing = true where project_id = $1', [project.id]);
    await query('update evidence_leaf set leaf_index = 1000 where consent_id = $1', [beyond]);
    await query('update evidence_leaf set epoch = 7 where consent_id = $1', [unknown]);
    await query('update evidence_leaf set leaf_index = -1 where consent_id = $1', [negative]);
    const { findings } = await checkPage(project);
    expect(findings.map(({ id, kind, detail }) => [id, kind, detail]).toSorted()).toEqual(
      ids
        .map((id) => [id, 'changed', 'The row of its leaf names an entry that its log does not have.'])
        .toSorted(),
    );
  });

  it('names a record of the first hour whose leaf was deleted', async () => {
    const { project, ids } = await sealed(2);
    const [cursor] = await query('select begins_at as "beginsAt", begins_xid as xid from sequencer_cursor');
    expect(cursor?.xid).not.toBeNull();
    await query(`update sequencer_cursor set begins_at = now() - interval '1 minute'`);
    await query('delete from evidence_leaf where consent_id = $1', [ids[0]]);
    expect((await checkPage(project)).findings).toMatchObject([{ id: ids[0], kind: 'backdated' }]);
    await query('update sequencer_cursor set begins_at = $1', [cursor?.beginsAt]);
  });

  it('names an erasure that was inserted for a deleted record, and none that was made', async () => {
    const { project, ids } = await sealed(4, { customer: '42' });
    const [made = '', byKey = '', deleted = ''] = ids;
    await erase(project, made);
    await query('update consent_record set visitor_key_hash = $2 where id = $1', [byKey, randomBytes(32)]);
    await get(ErasureService).eraseVisitorOf({ projectId: project.id, consentId: byKey }, 'as asked', {
      kind: 'operator',
      id: null,
    });
    expect(await steps.seal(project.id)).toBe('published');
    expect((await checkPage(project)).findings).toEqual([]);
    await query('delete from consent_record where id = $1', [deleted]);
    await query('insert into erased_record (project_id, consent_id) values ($1, $2)', [project.id, deleted]);
    expect(await steps.seal(project.id)).toBe('published');
    const { findings } = await checkPage(project);
    expect(findings).toContainEqual({
      id: deleted,
      kind: 'unlisted',
      detail: 'Its erasure is stored, and the audit log does not list it.',
    });
    expect(findings.map(({ id }) => id)).not.toContain(made);
  });

  it('is not signed after a check named a damaged tile, until a check finds none', async () => {
    const { project } = await sealed(2);
    const { storage } = service.settings.evidence;
    if (storage.kind !== 'folder') throw new Error('not a folder');
    const tile = join(storage.path, project.id, 'tile', 'entries', '000.p', '2');
    const whole = readFileSync(tile);
    // The path of a record does not include this bundle, so signing does not notice the change.
    writeFileSync(tile, Buffer.concat([whole.subarray(0, 34), Buffer.of(0, 32), randomBytes(32)]));
    await store(project, 1);
    const found = await ops('check', project.id);
    expect(found.code).toBe(1);
    expect(found.out).toContain(`${project.id}  is not signed until a check finds no damage\n`);
    expect(await steps.seal(project.id)).toBe('refused');
    const [log] = await query('select refusal from evidence_log where log = $1', [project.id]);
    expect(log?.refusal).toMatch(/^A check found damage: Tile 0 of level 0 does not match its entries\./);
    writeFileSync(tile, whole);
    expect(await steps.seal(project.id)).toBe('refused');
    await ops('check', project.id);
    expect(await steps.seal(project.id)).toBe('published');
  });

  it('stays signed where a check was run without the key that signed it', async () => {
    const { project } = await sealed(2);
    await store(project, 1);
    const keys = `e2:${randomBytes(32).toString('base64')}`;
    const checked = await runEvidence(service, { keys }, ['check', project.id]);
    expect(checked.out).toBe(
      `${project.id}  2 entries  The checkpoint in the database is not signed by a known key.\n` +
        `${project.id}  records are not compared: the checkpoint is not signed by a known key\n`,
    );
    expect(checked.code).toBe(1);
    expect(await steps.seal(project.id)).toBe('published');
  });

  it('says nothing about records where the log is damaged', async () => {
    const { project, ids } = await sealed(2);
    await query('update consent_record set marketing = true where id = $1', [ids[0]]);
    const { storage } = service.settings.evidence;
    if (storage.kind !== 'folder') throw new Error('not a folder');
    const tile = join(storage.path, project.id, 'tile', '0', '000.p', '2');
    const whole = readFileSync(tile);
    writeFileSync(tile, randomBytes(64));
    await expect(checkPage(project)).rejects.toThrow('do not hash to the signed root');
    const checked = await ops('check', project.id);
    expect(checked.code).toBe(1);
    expect(checked.out).toBe(
      `${project.id}  2 entries  Tile 0 of level 0 does not match its entries.\n` +
        `${project.id}  is not signed until a check finds no damage\n` +
        `${project.id}  records are not compared: the log is damaged\n`,
    );
    writeFileSync(tile, whole);
    expect((await checkPage(project)).findings).toMatchObject([{ id: ids[0], kind: 'changed' }]);
  });
});

describe('the daily check', () => {
  const stateOf = async (project: TestProject): Promise<Record<string, unknown> | undefined> =>
    (
      await query(
        `select problem, check_after as "afterId", checked_at > now() - interval '1 hour' as "isFresh"
         from evidence_log where log = $1`,
        [project.id],
      )
    )[0];
  const due = (project: TestProject): Promise<unknown> =>
    query(`update evidence_log set checked_at = now() - interval '25 hours' where log = $1`, [project.id]);
  const run = (): Promise<void> => get(DailyCheck).run(new Date());
  const counts = (): ReturnType<typeof countChecks> => countChecks(service.database.orm.em.fork());

  it('is due a day after the last one, and shows its result in status and metrics', async () => {
    const { project, ids } = await sealed(2);
    await query('update consent_record set marketing = true where id = $1', [ids[1]]);
    await run();
    expect(await stateOf(project)).toEqual({ problem: null, afterId: null, isFresh: true });
    await due(project);
    expect((await counts()).checkAgeSeconds).toBeGreaterThan(24 * 3600);
    await run();
    const problem = `The record ${ids[1]} is changed: It differs from its entry in the log.`;
    expect(await stateOf(project)).toEqual({ problem, afterId: null, isFresh: true });
    expect((await ops('status')).out).toMatch(new RegExp(`^${project.id}  checked at .*: ${problem}$`, 'm'));
    expect((await counts()).problems).toBe(1);
    expect(await eventsOf(project, 'evidence.problem')).toMatchObject([{ id: project.id, kind: 'records' }]);
    expect((await counts()).checkAgeSeconds).toBeLessThan(3600);

    await query('update consent_record set marketing = false where id = $1', [ids[1]]);
    await due(project);
    await run();
    expect(await stateOf(project)).toEqual({ problem: null, afterId: null, isFresh: true });
    expect((await counts()).problems).toBe(0);
  });

  it('continues where the last run ended, and misses no record', async () => {
    const { project, ids } = await sealed(2 * CHECKED_AT_ONCE + 1);
    // Leaves and records differ in number, so that their pages end at other ids.
    for (const id of ids.slice(10, 20)) await query('delete from evidence_leaf where consent_id = $1', [id]);
    await query('update consent_record set stored_xid = 4000000000 where id = any($1::uuid[])', [
      ids.slice(10, 20),
    ]);
    const last = ids.at(-1) ?? '';
    await query('update consent_record set marketing = true where id = $1', [last]);
    const first = await checkPage(project);
    expect(first).toMatchObject({ findings: [], afterId: ids[CHECKED_AT_ONCE - 1] });
    await query('update evidence_log set check_after = $2 where log = $1', [project.id, first.afterId]);
    await run();
    expect((await stateOf(project))?.problem).toContain(last);
  });

  it('begins with a check in progress, then with the oldest last check', async () => {
    const [one, other] = [(await sealed(1)).project, (await sealed(1)).project];
    const next = async (): Promise<string | undefined> =>
      (await nextLogToCheck(service.database.orm.em.fork(), { everySeconds: 24 * 3600, except: [] }))?.log;
    await due(one);
    await query(`update evidence_log set checked_at = now() - interval '30 hours' where log = $1`, [
      other.id,
    ]);
    expect(await next()).toBe(other.id);
    await query('update evidence_log set check_after = $2 where log = $1', [one.id, newId()]);
    expect(await next()).toBe(one.id);
    await run();
    expect(await next()).toBeUndefined();
  });

  it('compares the record at the end of a page', async () => {
    const { project, ids } = await sealed(CHECKED_AT_ONCE + 1);
    const last = ids[CHECKED_AT_ONCE - 1] ?? '';
    await query('update consent_record set marketing = true where id = $1', [last]);
    expect((await checkPage(project)).findings).toMatchObject([{ id: last, kind: 'changed' }]);
  });

  it('goes on to other logs where one cannot be read', async () => {
    const [broken, sound] = [(await sealed(2)).project, (await sealed(2)).project];
    await query(`update evidence_log set checked_at = now() - interval '30 hours' where log = $1`, [
      broken.id,
    ]);
    await due(sound);
    const storage = get(LogStorage);
    const read = storage.readTile.bind(storage);
    storage.readTile = (name, address) =>
      name === broken.id ? Promise.reject(new Error('EIO')) : read(name, address);
    try {
      await run();
    } finally {
      storage.readTile = read;
    }
    expect(await stateOf(broken)).toMatchObject({ problem: null, isFresh: false });
    expect(await stateOf(sound)).toMatchObject({ problem: null, isFresh: true });
    await run();
    expect(await stateOf(broken)).toMatchObject({ problem: null, isFresh: true });
  });
});
