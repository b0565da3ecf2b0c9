import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { createHttpApp } from '../../src/programs/http-app.js';
import { idsAt, startForwarding } from '../support/people/forwarding.js';
import { eventsOf } from '../support/people/event-endpoint.js';
import type { Json } from '../support/people/json.js';
import {
  choose as chooseAt,
  createForwardingProject,
  deliveriesOf,
  read,
  saveForwarding,
} from '../support/programs/pipeline.js';
import { startTestService, type TestService, testSettings } from '../support/programs/service.js';
import type { TestProject } from '../support/people/project.js';
import type { Receiver } from '../support/fakes/receiver.js';
import { mailsLeft, mailTo } from '../support/fakes/mails.js';
import { newId } from '../../src/platform/identity/ids.js';
import { insertAccount } from '../support/people/user.js';
import { until } from '../support/until.js';

const HOUR_MS = 3_600_000;
const forwarding = await startForwarding({
  worker: true,
  // Longer than a test looks at a receiver that hangs.
  environment: { FORWARDING_TIMEOUT_MS: '20000' },
});
const { choose, environment, forwardingTo, receive, service } = forwarding;

afterEach(forwarding.resetReceivers);
afterAll(forwarding.close);

/** The ids of the records that wait, in their order. */
const waiting = async (projectId: string): Promise<string[]> =>
  (
    await service.database.query<{ subject_id: string }>(
      "select subject_id from outbox_message where project_id = $1 and topic = 'consent.recorded' order by id",
      [projectId],
    )
  ).map((row) => row.subject_id);
const stateOf = (project: TestProject): Promise<Json> => read(project, '/forwarding');
const chooseMany = async (project: TestProject, count: number): Promise<string[]> => {
  const ids: string[] = [];
  for (let sent = 0; sent < count; sent++) ids.push((await choose(project.id)).id);
  return ids;
};
const throttleOf = async (
  project: TestProject,
): Promise<{ next_claim_at: Date; batch_limit: number } | undefined> =>
  (
    await service.database.query<{ next_claim_at: Date; batch_limit: number }>(
      'select next_claim_at, batch_limit from claim_throttle where ordering_key = $1',
      [project.id],
    )
  )[0];
/** As if so much time had gone by for the project's hold: nothing else looks at a clock here. */
const letPass = async (project: TestProject, seconds: number): Promise<void> => {
  const instants = ['failing_since', 'held_since'].map(
    (column) => `${column} = ${column} - make_interval(secs => $2)`,
  );
  // In one statement: a message about another hold than the one that is there is let go. And not while a worker has it, who
  // would put it back for the time that it was for.
  await until('nobody looks at the news', async () => {
    const [idle] = await service.database.query(
      `with news as materialized (
         select claim_id from outbox_message where project_id = $1 and topic = 'forwarding.hold' for update
       ), idle as materialized (select where not exists (select from news where claim_id is not null)),
       shifted as (update forwarding_hold set ${instants.join()} from idle where project_id = $1),
       moved as (
         update outbox_message
         set available_at = available_at - make_interval(secs => $2),
             payload = jsonb_set(payload, '{heldSince}',
                                 to_jsonb((payload ->> 'heldSince')::timestamptz - make_interval(secs => $2)))
         from idle where project_id = $1 and topic = 'forwarding.hold'
       )
       select from idle`,
      [project.id, seconds],
    );
    return idle;
  });
  await service.database.query(
    'update claim_throttle set next_claim_at = next_claim_at - make_interval(secs => $2) where ordering_key = $1',
    [project.id, seconds],
  );
};
/**
 * Fails a project's receiver until it is held, with queued records; `tried` are the failed ones.
 */
async function held(
  status: number,
  headers: Record<string, string> = {},
): Promise<{ project: TestProject; receiver: Receiver; ids: string[]; tried: number }> {
  const receiver = await receive({ kind: 'answer', status, headers });
  const project = await forwardingTo(receiver.url);
  const ids = await chooseMany(project, 20);
  await until('it is doubted', () => throttleOf(project));
  await letPass(project, Object.keys(headers).length > 0 ? HOUR_MS / 1_000 : 5);
  await until('it is held', async () => (await stateOf(project))['state'] === 'held');
  return { project, receiver, ids, tried: receiver.requests.length };
}
const becomesActive = (project: TestProject): Promise<unknown> =>
  until('it is active', async () => (await stateOf(project))['state'] === 'active');
const isDrained = (project: TestProject): Promise<unknown> =>
  until('nothing waits', async () => (await waiting(project.id)).length === 0);
const gauge = async (name: string): Promise<number> =>
  Number(
    new RegExp(`^${name} (\\d+)`, 'm').exec(await (await fetch(`${service.baseUrl}/metrics`)).text())?.[1],
  );

describe('records whose receiver is away', () => {
  it('wait after a handful of attempts, and owners and operators see it', async () => {
    const { project, receiver, ids, tried } = await held(503);
    // Five, the ones in progress beside them, and the one that decided.
    expect(tried).toBeLessThanOrEqual(8);
    expect(new Set(idsAt(receiver)).size).toBe(tried);
    const state = await stateOf(project);
    expect(state).toMatchObject({
      state: 'held',
      heldReason: 'The endpoint returned 503.',
      waiting: ids.length - tried,
      pending: ids.length - tried,
      lastFailure: { httpStatus: 503 },
    });
    const sinceMs = Date.parse(state['heldSince'] as string);
    const waitMs = Date.parse(state['nextProbeAt'] as string) - sinceMs;
    expect([waitMs >= 5_000, waitMs <= 6_000]).toEqual([true, true]);
    expect((await deliveriesOf(project)).map(({ outcome }) => outcome)).toEqual(
      Array.from({ length: tried }, () => 'failed'),
    );
    expect(await read(project, `/consents/${ids.at(-1)}`)).toMatchObject({
      delivery: { outcome: 'pending' },
    });
    await until('the gauges say it', async () => (await gauge('forwarding_held_projects')) === 1);
    expect(await gauge('forwarding_held_records')).toBe(ids.length - tried);

    // One probe for each step, however late the worker polls; each is an ordinary attempt of the oldest record.
    for (const [probe, longestMs] of [12_000, 24_000, 48_000].entries()) {
      await letPass(project, 60);
      await until('a probe is spent', () => receiver.requests.length === tried + probe + 1);
      const throttle = await until('the next one is due', async () => {
        const known = await throttleOf(project);
        return known && known.next_claim_at.getTime() - Date.now() < longestMs ? known : null;
      });
      expect(throttle.next_claim_at.getTime() - Date.now()).toBeGreaterThan(longestMs / 3);
    }
    expect(await waiting(project.id)).toEqual(ids.slice(tried + 3));

    receiver.behave({ kind: 'answer', status: 204 });
    receiver.requests.length = 0;
    // Shorter than the time after which owners are notified: otherwise its end would be kept until then.
    await letPass(project, 60);
    await isDrained(project);
    expect(idsAt(receiver)).toHaveLength(ids.length - tried - 3);
    // Oldest first: one record, then two, four … at a time.
    expect(idsAt(receiver)[0]).toBe(ids[tried + 3]);
    expect(await stateOf(project)).toMatchObject({
      state: 'active',
      heldSince: null,
      heldReason: null,
      nextProbeAt: null,
      waiting: 0,
    });
    await until('nothing of it is kept', async () => {
      const rows = await service.database.query('select from forwarding_hold where project_id = $1', [
        project.id,
      ]);
      return rows.length === 0 && !(await throttleOf(project));
    });
  });

  it('are let through two, then four at a time when it is back', async () => {
    const { project, receiver } = await held(500);
    receiver.behave({ kind: 'hang' });
    receiver.requests.length = 0;
    await service.database.query(
      "update forwarding_hold set phase = 'half_open', batch_limit = 2, failures = 0, failing_since = null where project_id = $1",
      [project.id],
    );
    await service.database.query(
      'update claim_throttle set batch_limit = 2, next_claim_at = now() where ordering_key = $1',
      [project.id],
    );
    await until('two have come', () => receiver.requests.length === 2);
    await new Promise((wake) => setTimeout(wake, 1_000));
    expect(receiver.requests).toHaveLength(2);
  });

  it('do not wait for a receiver that answers about one record', async () => {
    const receiver = await receive({ kind: 'answer', status: 400 });
    const project = await forwardingTo(receiver.url);
    const ids = await chooseMany(project, 12);
    await isDrained(project);
    expect(idsAt(receiver).toSorted()).toEqual(ids.toSorted());
    expect(await stateOf(project)).toMatchObject({ state: 'active' });
  });

  it('wait for as long as the receiver asks, also across its next answers', async () => {
    const { project } = await held(429, { 'retry-after': '1800' });
    const waitMs = Date.parse((await stateOf(project))['nextProbeAt'] as string) - Date.now();
    expect([waitMs > 1_790_000, waitMs <= 1_800_000]).toEqual([true, true]);
  });

  it('get their attempt after 72 hours all the same, a bounded number at a time', async () => {
    const { project, receiver, ids, tried } = await held(503);
    const old = ids.slice(tried, tried + 4);
    await service.database.query(
      "update outbox_message set created_at = created_at - interval '73 hours' where subject_id = any($1)",
      [old],
    );
    await letPass(project, 6);
    await until('those that waited too long are tried', () => receiver.requests.length === tried + 4);
    expect(idsAt(receiver).slice(tried).toSorted()).toEqual(old.toSorted());
    await until('the others wait on', async () => {
      const throttle = await throttleOf(project);
      return throttle?.batch_limit === 1 && throttle.next_claim_at.getTime() > Date.now() + 1_500;
    });
    await until('their outcomes are known', async () => (await waiting(project.id)).length === 16 - tried);
    expect(await waiting(project.id)).toEqual(ids.slice(tried + 4));
    expect(await stateOf(project)).toMatchObject({ state: 'held' });
  });
});

describe('a held project is probed at once', () => {
  it('where an editor asks; a viewer may not, and one that is not held is no worse for it', async () => {
    const { project, receiver, tried } = await held(502);
    expect((await project.request('viewer', 'POST', '/forwarding/resume')).status).toBe(403);
    // As if it had been away for long: the next probe would follow after minutes.
    await service.database.query('update forwarding_hold set probes = 9 where project_id = $1', [project.id]);
    const answer = await project.request('editor', 'POST', '/forwarding/resume');
    expect(answer.status).toBe(200);
    expect(await answer.json()).toMatchObject({ state: 'held' });
    await until('one more is tried', () => receiver.requests.length === tried + 1);
    receiver.behave({ kind: 'answer', status: 204 });
    await until('its outcome is known', async () => {
      const { next_claim_at: nextClaimAt } = (await throttleOf(project)) ?? { next_claim_at: new Date(0) };
      return nextClaimAt.getTime() < Date.now() + 30_000;
    });
    await project.request('editor', 'POST', '/forwarding/resume');
    await becomesActive(project);
    await isDrained(project);
    const again = await project.request('editor', 'POST', '/forwarding/resume');
    expect(await again.json()).toMatchObject({ state: 'active', waiting: 0, nextProbeAt: null });
  });

  it('where settings are saved: another endpoint gets all that waited', async () => {
    const { project, ids, tried } = await held(404);
    const next = await receive();
    await saveForwarding(project, { endpointUrl: next.url, authMode: 'none' });
    await isDrained(project);
    expect(idsAt(next).toSorted()).toEqual(ids.slice(tried).toSorted());
    expect(await stateOf(project)).toMatchObject({ state: 'active' });
  });

  it('where the Test endpoint succeeds, and not where it fails', async () => {
    const { project, receiver, ids, tried } = await held(401);
    const before = await throttleOf(project);
    await project.request('editor', 'POST', '/forwarding/test');
    expect(await throttleOf(project)).toEqual(before);
    receiver.behave({ kind: 'answer', status: 204 });
    await project.request('editor', 'POST', '/forwarding/test');
    await isDrained(project);
    // Two tests beside the records.
    expect(receiver.requests).toHaveLength(ids.length + 2);
    expect(new Set(idsAt(receiver)).size).toBe(ids.length + 2);
    expect(tried).toBeLessThanOrEqual(8);
  });

  it('and held no more where it is switched off: what waited is skipped', async () => {
    const { project, receiver, ids, tried } = await held(503);
    await saveForwarding(project, { endpointUrl: receiver.url, enabled: false });
    await isDrained(project);
    const skipped = (await deliveriesOf(project)).filter(({ outcome }) => outcome === 'skipped');
    expect(skipped).toHaveLength(ids.length - tried);
    expect(await stateOf(project)).toMatchObject({ state: 'active' });
    expect(await throttleOf(project)).toBeUndefined();
  });
});

describe('a project that loses its tier while held', () => {
  it('is active at once in the answer, before its records are skipped', async () => {
    const { project } = await held(503);
    await service.database.query(`update project set tier = 'lite', tier_valid_until = null where id = $1`, [
      project.id,
    ]);
    expect(await stateOf(project)).toMatchObject({
      state: 'active',
      heldSince: null,
      heldReason: null,
      nextProbeAt: null,
    });
  });
});

describe('where the operator has switched it off (FORWARDING_HOLD_HOURS=0)', () => {
  const COUNT = 12;
  const withoutHolds = { ...environment, FORWARDING_HOLD_HOURS: '0' };
  let off: TestService;
  beforeAll(async () => {
    off = await startTestService(withoutHolds);
  });
  afterAll(() => off.close());

  const failing = async (): Promise<{ project: TestProject; receiver: Receiver }> => {
    const receiver = await receive({ kind: 'answer', status: 503 });
    return { project: await createForwardingProject(off, receiver.url, { authMode: 'none' }), receiver };
  };
  /** As a service with holds has left it. */
  const hold = async (project: TestProject, opensIn: string): Promise<void> => {
    await off.database.query(
      "insert into forwarding_hold (project_id, phase, failures, held_since, held_reason) values ($1, 'open', 5, now(), 'It was away.')",
      [project.id],
    );
    await off.database.query(
      "insert into claim_throttle (ordering_key, topic, next_claim_at, batch_limit) values ($1, 'consent.recorded', now() + $2::interval, 1)",
      [project.id, opensIn],
    );
  };
  const allFail = async (project: TestProject): Promise<void> => {
    await until('all have failed', async () => (await deliveriesOf(project)).length === COUNT);
    expect((await deliveriesOf(project)).every(({ outcome }) => outcome === 'failed')).toBe(true);
    expect(await stateOf(project)).toMatchObject({ state: 'active', heldSince: null, waiting: 0 });
    expect(await off.database.query('select from forwarding_hold')).toEqual([]);
    expect(await off.database.query('select from claim_throttle')).toEqual([]);
  };
  const chooseAll = async (project: TestProject): Promise<void> => {
    for (let sent = 0; sent < COUNT; sent++) await chooseAt(off, project.id);
  };

  it('every record gets its one attempt', async () => {
    const { project, receiver } = await failing();
    await chooseAll(project);
    await allFail(project);
    expect(receiver.requests).toHaveLength(COUNT);
  });

  it('what another process holds meanwhile goes with the next probe', async () => {
    const { project } = await failing();
    await hold(project, '0 s');
    await chooseAll(project);
    await allFail(project);
  });

  it('what was held before goes when a process starts', async () => {
    const { project, receiver } = await failing();
    await hold(project, '1 hour');
    await chooseAll(project);
    expect(await stateOf(project)).toMatchObject({ state: 'held', waiting: COUNT });
    expect(receiver.requests).toEqual([]);
    const next = await createHttpApp(
      testSettings(off.database.url, { ...withoutHolds, RUN_WORKER: 'false' }),
    );
    await next.init();
    await next.close();
    await allFail(project);
  });
});

describe('owners of a held project', () => {
  /** An owner who gets mail, and two members who do not: an owner with an unconfirmed address, and an editor. */
  const addMembers = async (project: TestProject): Promise<{ email: string; others: string[] }> => {
    const newAddress = (): string => `${newId()}@example.com`;
    const [email, unconfirmed, editor] = [newAddress(), newAddress(), newAddress()];
    for (const [address, role, isConfirmed] of [
      [email, 'owner', true] as const,
      [unconfirmed, 'owner', false] as const,
      [editor, 'editor', true] as const,
    ]) {
      const id = await insertAccount(service.database.query, { email: address });
      await service.database.query('update app_user set email_verified = $2 where id = $1', [
        id,
        isConfirmed,
      ]);
      await service.database.query(
        'insert into project_member (project_id, user_id, role) values ($1, $2, $3)',
        [project.id, id, role],
      );
    }
    return { email, others: [unconfirmed, editor] };
  };
  const audited = async (project: TestProject): Promise<Json[]> =>
    (
      await read<{ items: Json[] }>(
        { ...project, request: (_, ...rest) => project.request('owner', ...rest) },
        '/audit',
      )
    ).items;

  /** Subjects of unclaimed mails; messages of other tests' holds wait for minutes. */
  const subjectsLeft = async (email: string): Promise<string[]> => {
    await service.database.query(
      "delete from outbox_message where project_id is not null and topic <> 'mail.send' and project_id not in (select project_id from project_member m join app_user u on u.id = m.user_id where u.email = $1)",
      [email],
    );
    return mailsLeft(service, email);
  };

  it('are told of it once after five minutes, and of its end with what was lost and sent', async () => {
    const { project, receiver, ids, tried } = await held(503);
    const { email, others } = await addMembers(project);
    await letPass(project, 290);
    const first = await until('a probe is spent', () =>
      receiver.requests.length > tried ? receiver.requests.length : null,
    );
    await letPass(project, 15);
    const began = await mailTo(service, email);
    expect(began.subject).toBe('Consent forwarding of "A project" is on hold');
    expect(began.text).toContain('The endpoint returned 503.');
    await letPass(project, 600);
    await until('another probe is spent', () => receiver.requests.length > first);

    receiver.behave({ kind: 'answer', status: 204 });
    await letPass(project, 3_600);
    await until('all have come', () => receiver.requests.length === ids.length);
    await until('its end is told', async () => {
      // A message that a worker is processing now may wait again.
      const news = await service.database.query(
        "select 1 from outbox_message where project_id = $1 and topic = 'forwarding.hold'",
        [project.id],
      );
      await service.database.query(
        `update outbox_message set available_at = now() - interval '1 second'
         where project_id = $1 and topic = 'forwarding.hold' and claim_id is null`,
        [project.id],
      );
      return news.length === 0;
    });
    const back = await mailTo(service, email);
    expect(back.subject).toBe('Consent forwarding of "A project" has resumed');
    const lost = (await deliveriesOf(project)).filter(({ outcome }) => outcome === 'failed').length;
    expect(back.text).toContain(`delivered: ${ids.length - lost}. Failed records: ${lost}.`);
    expect((await audited(project)).slice(0, 2)).toMatchObject([
      { action: 'forwarding.released', actor: { kind: 'system' }, after: { lost, sent: ids.length - lost } },
      {
        action: 'forwarding.held',
        actor: { kind: 'system' },
        after: { reason: 'The endpoint returned 503.' },
      },
    ]);
    for (const type of ['forwarding.held', 'forwarding.resumed'])
      expect(await eventsOf(project, type)).toMatchObject([
        { id: project.id, heldSince: expect.any(String) },
      ]);
    expect(await subjectsLeft(email)).toEqual([]);
    for (const other of others) expect(await subjectsLeft(other)).toEqual([]);
  });

  it('are not told of one that ends sooner', async () => {
    const { project, receiver, ids } = await held(503);
    const { email } = await addMembers(project);
    receiver.behave({ kind: 'answer', status: 204 });
    await project.request('editor', 'POST', '/forwarding/resume');
    await until('all have come', () => receiver.requests.length >= ids.length);
    await letPass(project, 301);
    expect(await subjectsLeft(email)).toEqual([]);
    expect((await audited(project)).map(({ action }) => action)).not.toContain('forwarding.held');
  });
});

describe('a held project that is deleted', () => {
  it('leaves no throttle and no hold behind', async () => {
    const { project } = await held(503);
    expect((await project.request('owner', 'DELETE', '')).status).toBe(204);
    expect(await throttleOf(project)).toBeUndefined();
    expect(
      await service.database.query('select from forwarding_hold where project_id = $1', [project.id]),
    ).toEqual([]);
  });
});
