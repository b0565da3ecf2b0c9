import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ConsentRollup, insertPastRecords } from '../../src/modules/consent/application/consent.rollup.js';
import type { PastRecord } from '../../src/modules/consent/infrastructure/past-record.rows.js';
import {
  ANALYTICS_GROUPS_MAX,
  ROLLUP_LANGUAGES_MAX,
  ROLLUP_REGIONS_MAX,
} from '../../src/modules/consent/domain/consent-counts.js';
import { uuidLowerBound } from '../../src/platform/identity/ids.js';
import { postChoices } from '../support/people/consent.js';
import { createTestProject, type TestProject } from '../support/people/project.js';
import { startTestService, type TestService } from '../support/programs/service.js';

const ALL = { analytics: true, marketing: true, preferences: true, action: 'accept_all' };
const NONE = { analytics: false, marketing: false, preferences: false, action: 'reject_all' };

interface Counts {
  records: number;
  fullAccept: number;
  rejection: number;
}

interface Answer {
  totals: Counts;
  byRegion: (Counts & { region: string | null })[];
  otherRegions: Counts;
  byLanguage: (Counts & { language: string | null })[];
  otherLanguages: Counts;
}

const sumOf = (entries: readonly Counts[], count: keyof Counts = 'records'): number =>
  entries.reduce((sum, entry) => sum + entry[count], 0);

let service: TestService;
let rollup: ConsentRollup;

beforeAll(async () => {
  service = await startTestService();
  rollup = service.app.get(ConsentRollup, { strict: false });
});
afterAll(() => service.close());

/**
 * The analytics of the last 30 days, after checking that each list and its rest add up to the
 * totals.
 */
async function ask(project: TestProject): Promise<Answer> {
  const response = await project.request('viewer', 'GET', '/analytics/consents');
  expect(response.status).toBe(200);
  const answer = (await response.json()) as Answer;
  for (const count of ['records', 'fullAccept', 'rejection'] as const) {
    expect(sumOf([...answer.byRegion, answer.otherRegions], count)).toBe(answer.totals[count]);
    expect(sumOf([...answer.byLanguage, answer.otherLanguages], count)).toBe(answer.totals[count]);
  }
  return answer;
}

/** Names with their records, in the order of the answer. */
const regionsOf = ({ byRegion, otherRegions }: Answer): [string | null, number][] => [
  ...byRegion.map(({ region, records }): [string | null, number] => [region, records]),
  ['others', otherRegions.records],
];
const languagesOf = ({ byLanguage, otherLanguages }: Answer): [string | null, number][] => [
  ...byLanguage.map(({ language, records }): [string | null, number] => [language, records]),
  ['others', otherLanguages.records],
];

/** Makes the records received so far older, as if this much time had passed. */
async function age(project: TestProject, seconds: number): Promise<void> {
  await service.database.query(
    `update consent_record set received_at = received_at - make_interval(secs => $2) where project_id = $1`,
    [project.id, seconds],
  );
}

/** Further back than the records that are to be counted are old, however long they took to be stored. */
async function moveMarksBack(seconds: number): Promise<void> {
  await service.database.query(
    `update consent_rollup_state set done_until = i.at
     from (select date_trunc('milliseconds', now()) - make_interval(secs => $1) as at) i`,
    [seconds],
  );
}

/** Sums of the rows, by length of the interval and dimension. */
function countedBy(project: TestProject): Promise<Record<string, unknown>[]> {
  return service.database.query(
    `select span, dimension, sum(records)::int as records, count(*)::int as names
     from consent_rollup_audience where project_id = $1 group by 1, 2 order by 1, 2`,
    [project.id],
  );
}

describe('consents by region and by language', () => {
  it.each([
    ['before they are in the rollups', false],
    ['from the rollups', true],
  ])('are counted each by itself, under the names that the records tell, %s', async (_when, rolled) => {
    const project = await createTestProject(service, { tier: 'business' });
    await postChoices(service, project.id, [
      { ...ALL, region: 'DE', language: 'de' },
      { ...NONE, region: 'DE', language: 'pt-br' },
      { ...ALL, region: 'DE', language: 'pt-BR' },
      { ...ALL, region: 'us-ca', language: 'PT-BR' },
      { ...NONE, region: 'US-CA', language: 'zh-hant-tw' },
      // The loader's code for an unknown region.
      { ...ALL, region: 'XX' },
      { ...ALL, language: null, region: null },
      ALL,
      // Invalid regions and languages are counted, but not under their name.
      { ...ALL, region: 'Germany', language: 'en_GB' },
      { ...NONE, region: 49, language: 'english language' },
      { ...ALL, region: { of: 'DE' }, language: 7 },
      { ...ALL, region: 'DE-BAVARIA', language: ['de'] },
    ]);
    await age(project, 60);
    await moveMarksBack(3_600);
    if (rolled) await rollup.advance();
    const answer = await ask(project);
    expect(regionsOf(answer)).toEqual([
      [null, 3],
      ['DE', 3],
      ['US-CA', 2],
      ['others', 4],
    ]);
    expect(languagesOf(answer)).toEqual([
      [null, 3],
      ['pt-BR', 3],
      ['de', 1],
      ['zh-Hant-TW', 1],
      ['others', 4],
    ]);
    expect(answer.byRegion[1]).toMatchObject({ fullAccept: 2, rejection: 1, rates: { rejection: 0.3333 } });
    expect((await countedBy(project)).map(({ records }) => records)).toEqual(rolled ? [12, 12, 12, 12] : []);
  });

  it('are added up once, by however many workers, and where a step fails half-way', async () => {
    const project = await createTestProject(service, { tier: 'business' });
    await postChoices(service, project.id, [{ ...ALL, region: 'AT', language: 'de' }, NONE]);
    await age(project, 2 * 3_600);
    await moveMarksBack(5 * 3_600);
    await service.database.query(
      `alter table consent_rollup_audience add constraint no_austria check (name <> 'AT')`,
    );
    await expect(rollup.advance()).rejects.toThrow('violates check constraint');
    // The same step had counted them by action and hostname.
    const hours = 'select from consent_rollup_hour where project_id = $1';
    expect(await service.database.query(hours, [project.id])).toEqual([]);
    expect(regionsOf(await ask(project))).toEqual([
      [null, 1],
      ['AT', 1],
      ['others', 0],
    ]);
    await service.database.query('alter table consent_rollup_audience drop constraint no_austria');
    await Promise.all(Array.from({ length: 4 }, () => rollup.advance()));
    await rollup.advance();
    expect((await countedBy(project)).map(({ records }) => records)).toEqual([2, 2, 2, 2]);
    expect((await ask(project)).totals.records).toBe(2);
  });

  it('have a bounded number of names in an hour, whenever they come; those that it has stay', async () => {
    const project = await createTestProject(service, { tier: 'business' });
    /** Records with regions and languages that no other record has. */
    const flood = (from: number, count: number): Promise<unknown> =>
      service.database.query(
        `insert into consent_record
           (project_id, id, analytics, marketing, preferences, action, language, extra, received_at)
         select $1, (substr($2::text, 1, 24) || lpad(to_hex(n), 12, '0'))::uuid, true, true, true, 'accept_all',
                'de-x-a' || n, jsonb_build_object('region', 'DE-' || upper(lpad(to_hex(n), 3, '0'))),
                now()
         from generate_series($3::int, $4::int) n`,
        [project.id, uuidLowerBound(new Date()), from, from + count - 1],
      );
    // All of one hour, whenever that ends.
    const receivedAt = new Date(Date.now() - 60_000);
    const received = () =>
      service.database.query('update consent_record set received_at = $2 where project_id = $1', [
        project.id,
        receivedAt,
      ]);
    const forget = () =>
      service.database.query('delete from consent_record where project_id = $1', [project.id]);
    await postChoices(service, project.id, [{ ...NONE, region: 'FR', language: 'fr' }]);
    await received();
    await moveMarksBack(5 * 60);
    await rollup.advance();
    for (const [from, count] of [
      [1, 500],
      [600, 1_000],
    ] as const) {
      await forget();
      await flood(from, count);
      await received();
      await moveMarksBack(5 * 60);
      await rollup.advance();
    }
    await forget();
    await postChoices(service, project.id, [{ ...NONE, region: 'FR', language: 'fr' }]);
    await received();
    await moveMarksBack(5 * 60);
    await rollup.advance();
    const rows = await countedBy(project);
    expect(rows.map(({ records }) => records)).toEqual([1_502, 1_502, 1_502, 1_502]);
    for (const { dimension, names } of rows)
      expect(names).toBeLessThanOrEqual(
        (dimension === 'region' ? ROLLUP_REGIONS_MAX : ROLLUP_LANGUAGES_MAX) + 1,
      );
    const answer = await ask(project);
    expect(answer.byRegion).toHaveLength(ANALYTICS_GROUPS_MAX);
    expect(answer.byRegion[0]).toMatchObject({ region: 'FR', records: 2, rejection: 2 });
    expect(answer.byLanguage[0]).toMatchObject({ language: 'fr', records: 2, rejection: 2 });
    expect(answer.otherRegions.records).toBe(1_502 - 2 - (ANALYTICS_GROUPS_MAX - 1));
  });

  it('are counted anew with a project’s past', async () => {
    const project = await createTestProject(service, { tier: 'business' });
    const neighbor = await createTestProject(service, { tier: 'business' });
    for (const each of [project, neighbor]) {
      await postChoices(service, each.id, [{ ...ALL, region: 'DE', language: 'de' }]);
      await age(each, 60);
    }
    await moveMarksBack(5 * 60);
    await rollup.advance();
    const yesterday = new Date(Date.now() - 24 * 3_600_000);
    const past: PastRecord = {
      ...NONE,
      id: uuidLowerBound(yesterday).replace(/-0000-0000-/, '-7000-8000-'),
      receivedAt: yesterday,
      hostname: 'www.example.com',
      configHash: null,
      language: 'en',
      surface: 'banner',
      services: null,
      extra: { region: 'GB' },
    };
    await service.database.orm.em.fork().transactional((tx) => insertPastRecords(tx, project.id, [past]));
    expect(regionsOf(await ask(project))).toEqual([
      ['DE', 1],
      ['GB', 1],
      ['others', 0],
    ]);
    expect((await countedBy(project)).map(({ records }) => records)).toEqual([2, 2, 2, 2]);
    expect((await ask(neighbor)).totals.records).toBe(1);
    expect((await countedBy(neighbor)).map(({ records }) => records)).toEqual([1, 1, 1, 1]);
  });
});
