import { afterAll, afterEach, describe, expect, it } from '@jest/globals';
import { prepareLog } from '../../src/modules/forwarding/application/past-deliveries.js';
import {
  UNDELIVERED_COUNT_MAX,
  UndeliveredMails,
} from '../../src/modules/forwarding/application/undelivered.service.js';
import { newId } from '../../src/platform/identity/ids.js';
import { messageAbout, storeConsent } from '../support/people/consent.js';
import { eventsOf } from '../support/people/event-endpoint.js';
import { resendOne, startForwarding } from '../support/people/forwarding.js';
import { answered } from '../support/people/json.js';
import type { TestProject } from '../support/people/project.js';
import { insertAccount } from '../support/people/user.js';

interface Undelivered {
  firstFailedAt: string | null;
  lastFailedAt: string | null;
  causes: unknown[];
}

const HOUR_MS = 60 * 60 * 1000;
const NONE = {
  records: 0,
  more: false,
  lastDay: 0,
  firstFailedAt: null,
  lastFailedAt: null,
  causes: [],
};

const forwarding = await startForwarding({ worker: false });
const { forward, forwardingProject, put, service, sharedReceiver } = forwarding;

afterEach(forwarding.resetReceivers);
afterAll(forwarding.close);

/** Stores records and attempts each once, while the receiver answers with this status. */
async function attempt(project: TestProject, status: number, count = 1): Promise<string[]> {
  const ids: string[] = [];
  for (let at = 0; at < count; at++) ids.push(await storeConsent(service, project.id));
  await forget(project);
  sharedReceiver.behave({ kind: 'answer', status });
  for (const id of ids) await forward([messageAbout(project.id, id)]);
  return ids;
}

/** Removes queued messages, as if a worker had taken them. */
const forget = (project: TestProject): Promise<unknown> =>
  service.database.query("delete from outbox_message where project_id = $1 and topic = 'consent.recorded'", [
    project.id,
  ]);

describe('records that were not delivered', () => {
  const undelivered = async (project: TestProject): Promise<Undelivered> => {
    const { status, body } = await answered(
      project.request('viewer', 'GET', '/forwarding/deliveries/undelivered'),
    );
    expect(status).toBe(200);
    return body as unknown as Undelivered;
  };

  it('are counted until they are delivered or queued again, whatever is delivered in between', async () => {
    const project = await forwardingProject();
    expect(await undelivered(project)).toEqual(NONE);
    const [first = '', second = ''] = await attempt(project, 400, 2);
    await attempt(project, 204);
    expect(await undelivered(project)).toMatchObject({
      records: 2,
      more: false,
      lastDay: 2,
      causes: [{ category: 'http_4xx', httpStatus: 400, records: 2 }],
    });
    await resendOne(project, first);
    expect(await undelivered(project)).toMatchObject({ records: 1, more: false, lastDay: 1 });
    await forget(project);
    sharedReceiver.behave({ kind: 'answer', status: 204 });
    await forward([messageAbout(project.id, second)]);
    expect(await undelivered(project)).toMatchObject({ records: 1, more: false, lastDay: 1 });
    await forward([messageAbout(project.id, first)]);
    expect(await undelivered(project)).toEqual(NONE);
  });

  it('are counted up to a limit', async () => {
    const project = await forwardingProject();
    await service.database.query(
      `with stored as (
         insert into consent_record (project_id, id, analytics, marketing, preferences, action)
         select $1, uuidv7(), true, true, true, 'accept_all' from generate_series(1, $2::int) returning id
       )
       insert into delivery (project_id, id, consent_id, outcome, category, duration_ms, attempted_at)
       select $1, uuidv7(), id, 'failed', 'timeout', 1, now() from stored`,
      [project.id, UNDELIVERED_COUNT_MAX + 1],
    );
    expect(await undelivered(project)).toMatchObject({
      records: UNDELIVERED_COUNT_MAX,
      more: true,
      lastDay: UNDELIVERED_COUNT_MAX,
      // Those beyond the limit are newer.
      lastFailedAt: null,
      causes: [{ category: 'timeout', httpStatus: null, records: UNDELIVERED_COUNT_MAX }],
    });
  });

  it('come with the times of the first and the last of their latest attempts', async () => {
    const project = await forwardingProject();
    const before = Date.now();
    await attempt(project, 503);
    await attempt(project, 400, 2);
    const { firstFailedAt, lastFailedAt, causes } = await undelivered(project);
    expect(causes).toEqual([
      { category: 'http_4xx', httpStatus: 400, records: 2 },
      { category: 'http_5xx', httpStatus: 503, records: 1 },
    ]);
    expect(Date.parse(firstFailedAt ?? '')).toBeGreaterThanOrEqual(before);
    expect(Date.parse(lastFailedAt ?? '')).toBeGreaterThan(Date.parse(firstFailedAt ?? ''));
  });

  it('are counted for the last day too', async () => {
    const project = await forwardingProject();
    const [old] = await attempt(project, 400, 2);
    await prepareLog(service.database.orm.em, new Date(Date.now() - 48 * HOUR_MS), new Date());
    await service.database.query(
      `with gone as (delete from delivery where project_id = $1 and consent_id = $2 returning *)
       insert into delivery (project_id, id, consent_id, outcome, category, http_status, duration_ms, attempted_at)
       select project_id, uuidv7(interval '-25 hours'), consent_id, outcome, category, http_status, 1, now() - interval '25 hours'
       from gone`,
      [project.id, old],
    );
    expect(await undelivered(project)).toMatchObject({ records: 2, lastDay: 1 });
  });

  it('are mailed to owners, once a day while attempts fail', async () => {
    const project = await forwardingProject();
    const owner = await insertAccount(service.database.query, { email: `${newId()}@example.com` });
    await service.database.query(
      `insert into project_member (project_id, user_id, role) values ($1, $2, 'owner')`,
      [project.id, owner],
    );
    const mails = service.app.get(UndeliveredMails, { strict: false });
    const now = Date.now();
    const sent = async (at = now): Promise<number> => {
      await mails.sendAll(new Date(at));
      const queued = await service.database.query<{ template: string }>(
        `select payload ->> 'template' as template from outbox_message where project_id = $1 and topic = 'mail.send'`,
        [project.id],
      );
      expect(queued.every(({ template }) => template === 'records_undelivered')).toBe(true);
      return queued.length;
    };
    await attempt(project, 204);
    expect(await sent()).toBe(0);
    await attempt(project, 400, 3);
    expect(await sent()).toBe(1);
    await attempt(project, 400);
    expect(await sent()).toBe(1);
    const mailedBefore = (hours: number): Promise<unknown> =>
      service.database.query(
        `update forwarding_settings set undelivered_mailed_at = now() - make_interval(hours => $2) where project_id = $1`,
        [project.id, hours],
      );
    await mailedBefore(23);
    expect(await sent()).toBe(1);
    await mailedBefore(48);
    // Nothing failed on the day before that.
    expect(await sent(now + 25 * HOUR_MS)).toBe(1);
    expect(await sent()).toBe(2);
    expect(
      (await eventsOf(project, 'forwarding.undelivered')).map(({ records, more }) => [records, more]),
    ).toEqual([
      [4, false],
      [3, false],
    ]);
  });

  it('are not mailed while forwarding is off', async () => {
    const project = await forwardingProject();
    await attempt(project, 400);
    await put(project, { enabled: false });
    const mails = service.app.get(UndeliveredMails, { strict: false });
    expect(await mails.sendAll(new Date())).toBe(0);
  });
});
