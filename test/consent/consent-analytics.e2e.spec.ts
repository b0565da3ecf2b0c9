import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { EntityManager } from '@mikro-orm/postgresql';
import { Client } from 'pg';
import { ConsentRollup } from '../../src/modules/consent/application/consent.rollup.js';
import { ROLLUP_ACTIONS_MAX, ROLLUP_HOSTNAMES_MAX } from '../../src/modules/consent/domain/consent-counts.js';
import { addUp, moveRollupState } from '../../src/modules/consent/infrastructure/rollup.rows.js';
import { newId, uuidLowerBound } from '../../src/platform/identity/ids.js';
import { ensureMonth, postChoices } from '../support/people/consent.js';
import { until } from '../support/until.js';
import { createTestProject, type TestProject } from '../support/people/project.js';
import { startTestService, type TestService } from '../support/programs/service.js';

const ALL = {
  analytics: true,
  marketing: true,
  preferences: true,
  action: 'accept_all',
  hostname: 'a.example',
};
const NONE = {
  analytics: false,
  marketing: false,
  preferences: false,
  action: 'reject_all',
  hostname: 'b.example',
};
const SOME = {
  analytics: true,
  marketing: false,
  preferences: false,
  action: 'custom',
  hostname: 'a.example',
};
const WITHDRAWN = { ...NONE, action: 'withdraw', hostname: undefined };

interface Answer {
  totals: Record<string, number> & { rates: Record<string, number | null> };
  series: { at: string; records: number }[];
  byAction: { action: string; records: number; analytics: number }[];
  otherActions: Other;
  byHostname: { hostname: string | null; records: number; analytics: number }[];
  otherHostnames: Other;
}

type Other = { records: number; analytics: number; rejection: number };

const moveMarks = (to: string): string => `update consent_rollup_state set done_until = ${to}`;
/** Before records of a minute ago, however long they took to be stored. */
const MARK_MINUTES_AGO = moveMarks(`now() - interval '5 minutes'`);

const HOUR_MS = 60 * 60 * 1000;

const sumOf = (entries: readonly { records: number }[]): number =>
  entries.reduce((sum, { records }) => sum + records, 0);

describe('consent analytics (spec §8: consent and site analytics)', () => {
  let service: TestService;
  let rollup: ConsentRollup;

  beforeAll(async () => {
    service = await startTestService();
    rollup = service.app.get(ConsentRollup, { strict: false });
  });
  afterAll(() => service.close());

  const ask = async (project: TestProject, query = ''): Promise<Answer> => {
    const response = await project.request('viewer', 'GET', `/analytics/consents${query}`);
    expect(response.status).toBe(200);
    return (await response.json()) as Answer;
  };
  /** Makes the records received so far old enough for the rollups, as if `seconds` had passed. */
  const age = async (project: TestProject, seconds: number): Promise<void> => {
    await service.database.query(
      `update consent_record set received_at = received_at - make_interval(secs => $2) where project_id = $1`,
      [project.id, seconds],
    );
  };
  const moveMarkBack = (hours: number): Promise<unknown> =>
    service.database.query(moveMarks('now() - make_interval(hours => $1)'), [hours]);
  const rolledUp = async (project: TestProject): Promise<number> => {
    const [row] = await service.database.query<{ n: string }>(
      'select coalesce(sum(records), 0) as n from consent_rollup_hour where project_id = $1',
      [project.id],
    );
    return Number(row?.n);
  };

  it('counts by category, action and hostname, with rates of the visitors asked', async () => {
    const project = await createTestProject(service, { tier: 'business' });
    await postChoices(service, project.id, [ALL, ALL, NONE, SOME, WITHDRAWN]);
    const answer = await ask(project);
    expect(answer.totals).toEqual({
      records: 5,
      asked: 5,
      analytics: 3,
      marketing: 2,
      preferences: 2,
      fullAccept: 2,
      rejection: 1,
      withdrawal: 1,
      rates: {
        analytics: 0.6,
        marketing: 0.4,
        preferences: 0.4,
        fullAccept: 0.4,
        rejection: 0.2,
        withdrawal: 0.2,
      },
    });
    expect(answer.byAction.map(({ action, records }) => [action, records])).toEqual(
      expect.arrayContaining([
        ['accept_all', 2],
        ['reject_all', 1],
        ['custom', 1],
        ['withdraw', 1],
      ]),
    );
    expect(answer.byHostname[0]).toMatchObject({ hostname: 'a.example', records: 3 });
    expect(answer.byHostname.find(({ hostname }) => hostname === null)).toMatchObject({ records: 1 });
    expect(answer.series.at(-1)).toMatchObject({ records: 5 });
    expect(answer.series).toHaveLength(31);
  });

  it('counts dismissed notices and browser signals as records, and not as answers', async () => {
    const project = await createTestProject(service, { tier: 'business' });
    const shown = { ...ALL, action: 'dismiss' };
    const signal = { ...NONE, action: 'opt_out', surface: 'signal' };
    await postChoices(service, project.id, [shown, shown, shown, signal, ALL, NONE, NONE, WITHDRAWN]);
    const check = async (): Promise<void> => {
      const { totals, byAction } = await ask(project);
      expect(totals).toMatchObject({ records: 8, asked: 4, analytics: 1, fullAccept: 1, rejection: 2 });
      expect(totals.rates).toMatchObject({ analytics: 0.25, rejection: 0.5, withdrawal: 0.25 });
      expect(byAction[0]).toMatchObject({
        action: 'dismiss',
        records: 3,
        asked: 0,
        rates: { analytics: null },
      });
      const overview = await project.request('viewer', 'GET', '/analytics/overview');
      expect(await overview.json()).toMatchObject({
        today: { now: { records: 8, asked: 4, optInRate: 0.25 } },
      });
    };
    await check();
    await moveMarkBack(1);
    await age(project, 10);
    await rollup.advance();
    expect(await rolledUp(project)).toBe(8);
    await check();
  });

  describe('of one device and day', () => {
    const DAY = new Date(Math.floor(Date.now() / (24 * HOUR_MS)) * 24 * HOUR_MS - 48 * HOUR_MS);
    const at = (hours: number): Date => new Date(DAY.getTime() + hours * HOUR_MS);
    const PERIOD = `?from=${DAY.toISOString()}&to=${at(48).toISOString()}`;
    /** Stores a choice of the device with this key (null: none) at an hour of the day before yesterday. */
    const choose = async (
      project: TestProject,
      [hour, key, choice, region]: [hour: number, key: number | null, choice: typeof ALL, region?: string],
    ): Promise<void> => {
      const id = uuidLowerBound(at(hour)).replace(/.{12}$/, newId().slice(-12));
      await service.database.query(
        `insert into consent_record (project_id, id, received_at, analytics, marketing, preferences, action, hostname,
                                     visitor_key_hash, extra)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
        [
          project.id,
          id,
          at(hour),
          choice.analytics,
          choice.marketing,
          choice.preferences,
          choice.action,
          choice.hostname,
          key === null ? null : Buffer.alloc(38, key),
          region === undefined ? null : JSON.stringify({ region }),
        ],
      );
    };
    const seed = async (project: TestProject): Promise<void> => {
      await ensureMonth(service, DAY);
      // Refuses, allows a frame, and withdraws.
      await choose(project, [9.5, 1, NONE, 'DE']);
      await choose(project, [9.6, 1, SOME, 'DE']);
      await choose(project, [14, 1, { ...NONE, action: 'withdraw' }, 'FR']);
      // Another device, and two choices without a key.
      await choose(project, [9.5, 2, ALL, 'DE']);
      await choose(project, [10, null, NONE]);
      await choose(project, [11, null, NONE]);
      // The first device, on the next day.
      await choose(project, [30, 1, ALL, 'DE']);
    };
    const TOTALS = { records: 7, asked: 5, analytics: 2, fullAccept: 2, rejection: 2, withdrawal: 1 };

    it('counts the last choice only, before, between and in the rollups, and adds days', async () => {
      const project = await createTestProject(service, { tier: 'business' });
      await seed(project);
      const check = async (): Promise<void> => {
        for (const interval of ['day', 'hour']) {
          const answer = await ask(project, `${PERIOD}&interval=${interval}`);
          expect(answer.totals).toMatchObject(TOTALS);
          const regions = (answer as unknown as { byRegion: { region: string | null; asked: number }[] })
            .byRegion;
          expect(regions.map(({ region, asked }) => [region, asked]).toSorted()).toEqual(
            [
              ['DE', 2],
              ['FR', 1],
              [null, 2],
            ].toSorted(),
          );
          const actions = answer.byAction as unknown as { action: string; records: number; asked: number }[];
          expect(actions.find(({ action }) => action === 'custom')).toMatchObject({ records: 1, asked: 0 });
          expect(actions.find(({ action }) => action === 'reject_all')).toMatchObject({
            records: 3,
            asked: 2,
          });
        }
        const { series } = await ask(project, PERIOD);
        expect(series).toMatchObject([
          { records: 6, asked: 4 },
          { records: 1, asked: 1 },
        ]);
      };
      await service.database.query(moveMarks('$1'), [DAY]);
      await check();
      // A choice that is in the rollups is taken back by one that is not.
      await service.app
        .get(EntityManager, { strict: false })
        .fork()
        .transactional(async (tx) => {
          const slice = { from: DAY, to: at(12) };
          await addUp(tx, slice);
          await moveRollupState(tx, slice.to);
        });
      await check();
      await rollup.advance();
      expect(await rolledUp(project)).toBe(7);
      await check();
    });

    it('counts a past period that ends within the day', async () => {
      const project = await createTestProject(service, { tier: 'business' });
      await seed(project);
      await service.database.query(moveMarks('$1'), [DAY]);
      await rollup.advance();
      const until = `?from=${DAY.toISOString()}&to=${at(9.7).toISOString()}`;
      // The device's choices of that time were replaced later on the same day.
      expect((await ask(project, until)).totals).toMatchObject({ records: 3, asked: 1, fullAccept: 1 });
    });

    it('keeps what an erased record has counted, and goes on', async () => {
      const project = await createTestProject(service, { tier: 'business' });
      await seed(project);
      await service.database.query(moveMarks('$1'), [DAY]);
      await rollup.advance();
      await service.database.query(
        'delete from consent_record where project_id = $1 and visitor_key_hash is not null',
        [project.id],
      );
      expect((await ask(project, PERIOD)).totals).toMatchObject(TOTALS);
    });
  });

  it('compares with the same elapsed time of yesterday, to the second', async () => {
    const project = await createTestProject(service, { tier: 'business' });
    await postChoices(service, project.id, [ALL, ALL, NONE]);
    // Two of the three are stored a minute before this time of yesterday, and one a minute after it.
    await service.database.query(
      `update consent_record set received_at = now() - interval '24 hours'
         + case when action = 'accept_all' then interval '-1 minute' else interval '1 minute' end
       where project_id = $1`,
      [project.id],
    );
    const pastNoon = new Date().getUTCHours() < 12 ? 'Pacific/Tarawa' : 'UTC';
    const ofYesterday = async (): Promise<object> => {
      const answer = await project.request('viewer', 'GET', `/analytics/overview?timeZone=${pastNoon}`);
      return ((await answer.json()) as { today: { before: object } }).today.before;
    };
    await moveMarkBack(48);
    expect(await ofYesterday()).toMatchObject({ records: 2, optInRate: 1 });
    await rollup.advance();
    expect(await rolledUp(project)).toBe(3);
    expect(await ofYesterday()).toMatchObject({ records: 2, optInRate: 1 });
  });

  it('tells every tier of today and this month, in and before the rollups, beside as much of the ones before', async () => {
    const project = await createTestProject(service);
    const overview = async (query = ''): Promise<Response> =>
      project.request('viewer', 'GET', `/analytics/overview${query}`);
    const none = { now: { records: 0, optInRate: null }, before: { records: 0, optInRate: null } };
    expect(await (await overview()).json()).toMatchObject({ today: none, month: none });
    await postChoices(service, project.id, [ALL, SOME, NONE, WITHDRAWN]);
    const four = { now: { records: 4, optInRate: 0.5 }, before: { records: 0, optInRate: null } };
    expect(await (await overview('?timeZone=UTC')).json()).toMatchObject({ today: four, month: four });
    await rollup.advance();
    expect(await (await overview('?timeZone=UTC')).json()).toMatchObject({ today: four, month: four });
    // The hour that began 25 to 26 hours ago is yesterday's, and earlier in the day than now, in a zone where it is past noon:
    // in the first hour of a day nothing of the day before is shown. It is added up by hand.
    await service.database.query(
      `insert into consent_rollup_hour
         (project_id, at, action, hostname, records, analytics, marketing, preferences, full_accept, rejection,
          withdrawal, asked)
       values ($1, date_trunc('hour', now() - interval '25 hours', 'UTC'), 'custom', '', 8, 2, 0, 0, 0, 6, 0, 8)`,
      [project.id],
    );
    const pastNoon = new Date().getUTCHours() < 12 ? 'Pacific/Tarawa' : 'UTC';
    const { today } = (await (await overview(`?timeZone=${pastNoon}`)).json()) as {
      today: { before: object };
    };
    expect(today.before).toMatchObject({ records: 8, optInRate: 0.25 });
    // PostgreSQL reads the sign of an offset the other way round, so that its day would begin hours off.
    for (const none of ['Middle-earth', '%2B01:00', '-05:00']) {
      const refused = await overview(`?timeZone=${none}`);
      expect([refused.status, await refused.json()]).toMatchObject([
        422,
        { errors: [{ field: 'timeZone' }] },
      ]);
    }
  });

  it('tells every tier of each of the last 30 days, in and before the rollups, beside 30 days earlier', async () => {
    const project = await createTestProject(service);
    const daily = async (): Promise<object[]> => {
      const answer = await project.request('viewer', 'GET', '/analytics/daily?timeZone=UTC');
      expect(answer.status).toBe(200);
      return ((await answer.json()) as { days: object[] }).days;
    };
    await postChoices(service, project.id, [ALL, SOME, NONE, WITHDRAWN]);
    // Three days ago, and 30 days before that.
    await service.database.query(
      `insert into consent_rollup_hour
         (project_id, at, action, hostname, records, analytics, marketing, preferences, full_accept, rejection,
          withdrawal, asked)
       select $1, date_trunc('hour', now() - make_interval(days => n), 'UTC'), 'custom', '', n, 2, 0, 0, 0, 1, 0, n
       from unnest(array[3, 33]) n`,
      [project.id],
    );
    for (const isRolledUp of [false, true]) {
      if (isRolledUp) await rollup.advance();
      const days = await daily();
      expect(days).toHaveLength(30);
      expect(days.at(-1)).toEqual({
        at: `${daysAgo(0)}T00:00:00.000Z`,
        records: 4,
        asked: 4,
        optedIn: 2,
        recordsBefore: 0,
      });
      expect(days.at(-4)).toMatchObject({ records: 3, recordsBefore: 33 });
      expect(days.at(-2)).toMatchObject({ records: 0, asked: 0, optedIn: 0, recordsBefore: 0 });
    }
    const refused = await project.request('viewer', 'GET', '/analytics/daily?timeZone=Middle-earth');
    expect(refused.status).toBe(422);
  });

  it('counts as a full accept what accepted all that was offered, and nothing that gives nothing', async () => {
    const project = await createTestProject(service, { tier: 'business' });
    await postChoices(service, project.id, [
      { ...SOME, action: 'accept_all' },
      { ...NONE, action: 'accept_all' },
      SOME,
    ]);
    expect((await ask(project)).totals).toMatchObject({ records: 3, fullAccept: 1, rejection: 1 });
    await age(project, 60);
    await moveMarkBack(2);
    await rollup.advance();
    expect(await rolledUp(project)).toBe(3);
    expect((await ask(project)).totals).toMatchObject({ records: 3, fullAccept: 1, rejection: 1 });
  });

  it('gives the same answer before and after the records are in the rollups', async () => {
    const project = await createTestProject(service, { tier: 'business' });
    await postChoices(service, project.id, [ALL, NONE, SOME, SOME]);
    await age(project, 60);
    await moveMarkBack(2);
    const before = await ask(
      project,
      '?interval=hour&from=2026-11-01&to=2026-11-22'
        .replace('2026-11-01', daysAgo(20))
        .replace('2026-11-22', daysAgo(-1)),
    );
    await rollup.advance();
    expect(await rolledUp(project)).toBe(4);
    const after = await ask(project, `?interval=hour&from=${daysAgo(20)}&to=${daysAgo(-1)}`);
    expect(after).toEqual(before);
  });

  it('counts a past period up to its very end, and not the rest of its last day, before and in the rollups', async () => {
    const project = await createTestProject(service, { tier: 'business' });
    await postChoices(service, project.id, Array<object>(5).fill({ ...ALL, region: 'FR', language: 'fr' }));
    const end = new Date(Date.now() - 24 * HOUR_MS);
    // Two are received at the end or after it, and do not count.
    const receivedAt = [-25 * HOUR_MS, -HOUR_MS, -1, 0, HOUR_MS].map((ms) => new Date(end.getTime() + ms));
    await service.database.query(
      `update consent_record c set received_at = at from (
         select r.id, t.at from (
           select id, row_number() over (order by id) as n from consent_record where project_id = $1
         ) r join unnest($2::timestamptz[]) with ordinality t (at, n) using (n)
       ) moved where c.project_id = $1 and c.id = moved.id`,
      [project.id, receivedAt],
    );
    await moveMarkBack(72);
    for (const isRolledUp of [false, true]) {
      if (isRolledUp) await rollup.advance();
      expect(await rolledUp(project)).toBe(isRolledUp ? 5 : 0);
      for (const interval of ['day', 'hour']) {
        const from = new Date(end.getTime() - 48 * HOUR_MS).toISOString();
        const answer = await ask(project, `?from=${from}&to=${end.toISOString()}&interval=${interval}`);
        expect(answer).toMatchObject({
          to: end.toISOString(),
          totals: { records: 3, fullAccept: 3 },
          byAction: [{ action: 'accept_all', records: 3 }],
          byHostname: [{ hostname: 'a.example', records: 3 }],
          byRegion: [{ region: 'FR', records: 3 }],
          byLanguage: [{ language: 'fr', records: 3 }],
        });
        expect(sumOf(answer.series)).toBe(3);
        expect(answer.series.at(-1)?.at.slice(0, 10)).toBe(end.toISOString().slice(0, 10));
        // A millisecond later the record at the end is before it.
        const later = new Date(end.getTime() + 1).toISOString();
        expect((await ask(project, `?from=${from}&to=${later}&interval=${interval}`)).totals.records).toBe(4);
      }
    }
  });

  it('adds every record up once, however often and by however many workers it is done', async () => {
    const project = await createTestProject(service, { tier: 'business' });
    await postChoices(service, project.id, [ALL, NONE, SOME]);
    await age(project, 3 * 3600);
    await moveMarkBack(6);
    await Promise.all(Array.from({ length: 4 }, () => rollup.advance()));
    await rollup.advance();
    expect(await rolledUp(project)).toBe(3);
  });

  it('does not pass a transaction that is still open, whose record turns up late', async () => {
    const project = await createTestProject(service, { tier: 'business' });
    const slow = new Client({ connectionString: service.database.url });
    await slow.connect();
    try {
      await slow.query('begin');
      await slow.query(
        `insert into consent_record (project_id, id, analytics, marketing, preferences, action, received_at)
         values ($1, $2, true, true, true, 'accept_all', now())`,
        [project.id, newId()],
      );
      // Before that, the lag holds the cursor before the record in any case.
      await until('the transaction is older than the lag', async () => {
        const { rows } = await slow.query<{ old: boolean }>(
          `select clock_timestamp() - now() > interval '5.2 seconds' as old`,
        );
        return rows[0]?.old;
      });
      await rollup.advance();
      await slow.query('commit');
    } finally {
      await slow.end();
    }
    await until('added up', async () => {
      await rollup.advance();
      return (await rolledUp(project)) === 1;
    });
    expect((await ask(project)).totals.records).toBe(1);
  });

  it('counts a record on the very end of a step once', async () => {
    const project = await createTestProject(service, { tier: 'business' });
    // Steps end a whole number of hours before the cursor.
    await service.database.query(moveMarks(`date_trunc('milliseconds', now() - interval '3 hours')`));
    await service.database.query(
      `insert into consent_record (project_id, id, analytics, marketing, preferences, action, received_at)
       select $1, $2, true, true, true, 'accept_all', done_until + interval '1 hour' from consent_rollup_state`,
      [project.id, newId()],
    );
    expect(await rollup.advance()).toBeGreaterThanOrEqual(3);
    expect(await rolledUp(project)).toBe(1);
    const audience = await service.database.query(
      `select dimension, sum(records)::int as records from consent_rollup_audience
       where project_id = $1 and span = 'hour' group by 1 order by 1`,
      [project.id],
    );
    expect(audience).toEqual([
      { dimension: 'language', records: 1 },
      { dimension: 'region', records: 1 },
    ]);
  });

  it('counts a record whose id was made nearly seven days before it came', async () => {
    const project = await createTestProject(service, { tier: 'business' });
    const madeAt = new Date(Date.now() - 7 * 24 * 60 * 60_000 + 60_000);
    await postChoices(service, project.id, [
      { ...ALL, id: uuidLowerBound(madeAt).replace(/-0000-0000-/, '-7000-8000-') },
    ]);
    expect((await ask(project)).totals.records).toBe(1);
    await age(project, 60);
    await moveMarkBack(1);
    await rollup.advance();
    expect(await rolledUp(project)).toBe(1);
    expect((await ask(project)).totals.records).toBe(1);
  });

  it('leaves the work to the worker that has the mark, and does not wait for it', async () => {
    const project = await createTestProject(service, { tier: 'business' });
    await postChoices(service, project.id, [ALL]);
    await age(project, 60);
    await moveMarkBack(1);
    const other = new Client({ connectionString: service.database.url });
    await other.connect();
    try {
      await other.query('begin');
      await other.query('select from consent_rollup_state for update');
      let steps = 0;
      const advanced = rollup.advance().then((taken) => (steps = taken));
      await until('it gives up its turn', () => steps === 1).finally(() => other.query('rollback'));
      await advanced;
      expect(await rolledUp(project)).toBe(0);
    } finally {
      await other.end();
    }
    await rollup.advance();
    expect(await rolledUp(project)).toBe(1);
  });

  describe('names that anybody can make up', () => {
    /** Records with a hostname and an action each, received `secondsAgo`. */
    const flood = (project: TestProject, count: number, secondsAgo = 60): Promise<unknown> =>
      service.database.query(
        `insert into consent_record (project_id, id, analytics, marketing, preferences, action, hostname, received_at)
         select $1, (substr($2::text, 1, 24) || lpad(to_hex(n), 12, '0'))::uuid, true, true, true,
                'made_up_' || n, 'h' || n || '.example', now() - make_interval(secs => $4)
         from generate_series(1, $3::int) n`,
        [project.id, uuidLowerBound(new Date()), count, secondsAgo],
      );
    const rows = async (project: TestProject, interval: string): Promise<number> => {
      const [row] = await service.database.query<{ n: string }>(
        `select count(*) as n from consent_rollup_${interval} where project_id = $1`,
        [project.id],
      );
      return Number(row?.n);
    };

    it.each([
      ['before they are in the rollups', false],
      ['from the rollups', true],
    ])('are ranked in the database, the rest counted together, %s', async (_when, rolled) => {
      const project = await createTestProject(service, { tier: 'business' });
      await postChoices(service, project.id, [ALL, ALL, NONE]);
      await age(project, 60);
      await flood(project, 5_000);
      await moveMarkBack(1);
      if (rolled) await rollup.advance();
      const answer = await ask(project);
      expect(answer.totals.records).toBe(5_003);
      for (const [entries, other, namesMax] of [
        [answer.byAction, answer.otherActions, rolled ? ROLLUP_ACTIONS_MAX + 2 : 100],
        [answer.byHostname, answer.otherHostnames, rolled ? ROLLUP_HOSTNAMES_MAX : 100],
      ] as const) {
        expect(entries).toHaveLength(namesMax);
        expect(sumOf(entries) + other.records).toBe(5_003);
        expect(entries.reduce((sum, { analytics }) => sum + analytics, other.analytics)).toBe(5_002);
      }
      expect(answer.byAction[0]).toMatchObject({ action: 'accept_all', records: 2 });
      expect(answer.byHostname[0]).toMatchObject({ hostname: 'a.example', records: 2 });
    });

    it('fill an hour of the rollups with a bounded number of rows, whenever they come', async () => {
      const project = await createTestProject(service, { tier: 'business' });
      for (const n of [1, 2, 3]) {
        await service.database.query('delete from consent_record where project_id = $1', [project.id]);
        await flood(project, 1_000 * n);
        await moveMarkBack(1);
        await rollup.advance();
      }
      expect(await rolledUp(project)).toBe(6_000);
      // A pair of names is a row; these have a hostname and an action each.
      for (const interval of ['hour', 'day'])
        expect(await rows(project, interval)).toBeLessThanOrEqual(
          2 * (ROLLUP_ACTIONS_MAX + 1 + ROLLUP_HOSTNAMES_MAX + 1),
        );
      expect((await ask(project)).totals.records).toBe(6_000);
    });

    it('do not push out a name that the hour has already, nor a documented action', async () => {
      const project = await createTestProject(service, { tier: 'business' });
      // All of one hour, whenever that ends.
      const receivedAt = new Date(Date.now() - 60_000);
      const received = (): Promise<unknown> =>
        service.database.query('update consent_record set received_at = $2 where project_id = $1', [
          project.id,
          receivedAt,
        ]);
      await postChoices(service, project.id, [{ ...ALL, action: 'own_action' }]);
      await received();
      await moveMarkBack(1);
      await rollup.advance();
      await flood(project, 1_000);
      await received();
      await service.database.query(
        `delete from consent_record where project_id = $1 and action = 'own_action'`,
        [project.id],
      );
      await service.database.query(MARK_MINUTES_AGO);
      await rollup.advance();
      await service.database.query('delete from consent_record where project_id = $1', [project.id]);
      await postChoices(service, project.id, [{ ...ALL, action: 'own_action' }, WITHDRAWN]);
      await received();
      await service.database.query(MARK_MINUTES_AGO);
      await rollup.advance();
      const answer = await ask(project);
      expect(answer.byAction.find(({ action }) => action === 'own_action')).toMatchObject({ records: 2 });
      expect(answer.byAction.find(({ action }) => action === 'withdraw')).toMatchObject({ records: 1 });
      expect(answer.byHostname.find(({ hostname }) => hostname === 'a.example')).toMatchObject({
        records: 2,
      });
      expect(answer.totals.records).toBe(1_003);
    });

    it.each([false, true])(
      'are not kept at all where the project lists domains and they are none of them (rolled up: %s)',
      async (rolled) => {
        const project = await createTestProject(service, { tier: 'business', domains: ['a.example'] });
        await postChoices(service, project.id, [
          ALL,
          { ...ALL, hostname: 'www.a.example' },
          NONE,
          { ...NONE, hostname: 'evila.example' },
          WITHDRAWN,
        ]);
        await age(project, 60);
        await moveMarkBack(1);
        if (rolled) await rollup.advance();
        const answer = await ask(project);
        expect(answer.byHostname.map(({ hostname, records }) => [hostname, records]).toSorted()).toEqual([
          [null, 1],
          ['a.example', 1],
          ['www.a.example', 1],
        ]);
        expect(answer.otherHostnames).toMatchObject({ records: 2, rejection: 2 });
        expect(answer.otherActions.records).toBe(0);
      },
    );
  });

  it('counts one question of an account at a time, and lets others ask meanwhile', async () => {
    const [busy, other] = [
      await createTestProject(service, { tier: 'business' }),
      await createTestProject(service, { tier: 'business' }),
    ];
    const blocker = new Client({ connectionString: service.database.url });
    await blocker.connect();
    await blocker.query('begin; lock table consent_rollup_state in access exclusive mode');
    const asked = Array.from({ length: 20 }, () => busy.request('viewer', 'GET', '/analytics/consents'));
    const refused: Response[] = [];
    for (const answer of asked)
      void answer.then((response) => {
        if (response.status === 429) refused.push(response);
      });
    // One is counted, 15 wait.
    await until('the others are refused', () => refused.length === 4);
    expect(refused[0]?.headers.get('retry-after')).toBe('5');
    const running = await until('the first is counted', async () => {
      const [row] = await service.database.query<{ n: string }>(
        `select count(*) as n from pg_stat_activity
         where datname = current_database() and application_name = 'consent-service reports' and state = 'active'`,
      );
      return Number(row?.n);
    });
    expect(running).toBe(1);
    const others = other.request('viewer', 'GET', '/analytics/consents');
    await blocker.query('commit');
    await blocker.end();
    expect((await others).status).toBe(200);
    const statuses = (await Promise.all(asked)).map(({ status }) => status);
    expect(statuses.toSorted()).toEqual([...Array<number>(16).fill(200), ...Array<number>(4).fill(429)]);
  });

  it('has a row of zeros for each day without records, and null rates', async () => {
    const project = await createTestProject(service, { tier: 'enterprise' });
    const answer = await ask(project, '?from=2025-01-01&to=2025-01-08');
    expect(answer.series.map(({ at }) => at.slice(0, 10))).toEqual(
      ['01', '02', '03', '04', '05', '06', '07'].map((day) => `2025-01-${day}`),
    );
    expect(answer.totals.rates.analytics).toBeNull();
    expect([answer.byAction, answer.byHostname]).toEqual([[], []]);
  });

  it.each([
    'interval=minute',
    'from=2026-01-02&to=2026-01-01',
    'from=2020-01-01&to=2026-01-01',
    'interval=hour&from=2026-01-01&to=2026-03-01',
    'to=x',
    'y=1',
  ])('refuses the query %s with 422', async (query) => {
    const project = await createTestProject(service, { tier: 'business' });
    expect((await project.request('viewer', 'GET', `/analytics/consents?${query}`)).status).toBe(422);
  });

  it.each([
    ['lite', 403],
    ['pro', 403],
    ['business', 200],
    ['enterprise', 200],
  ])('tier %s is answered %i', async (tier, status) => {
    const project = await createTestProject(service, { tier });
    expect((await project.request('viewer', 'GET', '/analytics/consents')).status).toBe(status);
  });
});

function daysAgo(days: number): string {
  return new Date(Date.now() - days * 24 * 60 * 60 * 1000).toISOString().slice(0, 10);
}
