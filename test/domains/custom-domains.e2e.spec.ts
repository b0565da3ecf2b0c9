import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { DomainChecks } from '../../src/modules/domains/application/domain-checks.js';
import { claimDue } from '../../src/modules/domains/infrastructure/domain.rows.js';
import { MembershipService } from '../../src/modules/access/application/membership.service.js';
import { type DomainWorld, startDomainWorld, TARGET } from '../support/people/custom-domain.js';
import { eventsOf } from '../support/people/event-endpoint.js';
import type { Json } from '../support/people/json.js';
import { createTestProject, type TestProject } from '../support/people/project.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

let world: DomainWorld;
let project: TestProject;
let domain = '';
let host = '';
let count = 0;

beforeAll(async () => {
  world = await startDomainWorld();
});
afterAll(() => world.close());
beforeEach(async () => {
  count += 1;
  domain = `shop${count}.example`;
  host = `consent.${domain}`;
  project = await createTestProject(world.service, { domains: [`www.${domain}`] });
});

const later = (ms: number): Date => new Date(Date.now() + ms);
const errorOf = async (response: Response): Promise<unknown> => {
  const { code, errors } = (await response.json()) as Json & { errors?: { code: string }[] };
  return [response.status, errors?.[0]?.code ?? code];
};
const post = (path: string, body?: unknown, role: 'viewer' | 'editor' = 'editor'): Promise<Response> =>
  project.request(role, 'POST', `/domains${path}`, body);
const mails = async (projectId = project.id): Promise<string[]> =>
  (
    await world.service.database.query<{ template: string }>(
      `select payload ->> 'template' as template from outbox_message where project_id = $1`,
      [projectId],
    )
  ).map(({ template }) => template);

/** A verified domain. */
async function verified(of = project, hostname = host) {
  const added = await world.add(of, hostname);
  world.records[hostname] = { alias: added.records.cname.value };
  await world.checkDue();
  return world.read(of, added.id);
}

describe('adding', () => {
  it('shows the records, of which the token is that of project and host alone', async () => {
    const added = await world.add(project, ` Consent.${domain.toUpperCase()}. `);
    expect(added).toMatchObject({ hostname: host, state: 'pending', problem: null, method: null });
    const token = added.records.txt.value;
    expect(token).toMatch(/^[0-9a-f]{32}$/);
    expect(added.records).toEqual({
      cname: { type: 'CNAME', name: host, value: `${token}.${TARGET}` },
      txt: { type: 'TXT', name: `_service-challenge.${host}`, value: token },
    });
    const other = await createTestProject(world.service, { domains: [domain] });
    expect((await world.add(other, host)).records.txt.value).not.toBe(token);
    const response = await project.request('viewer', 'GET', '/domains');
    expect(await response.json()).toMatchObject({
      target: TARGET,
      domainsMax: 5,
      items: [{ hostname: host }],
    });
  });

  it.each([
    ['192.0.2.1', 'host_name'],
    ['*.shop.example', 'host_name'],
    ['co.uk', 'public_suffix'],
    ['consent.service.test', 'own_host'],
    [`x.${TARGET}`, 'own_host'],
    ['shop.webflow.io', 'preview_host'],
    ['consent.elsewhere.example', 'outside_project'],
  ])('refuses %s: %s', async (hostname, code) => {
    expect(await errorOf(await post('', { hostname }))).toEqual([422, code]);
  });

  it('refuses a domain twice, the sixth, and a viewer', async () => {
    await world.add(project, host);
    expect(await errorOf(await post('', { hostname: host }))).toEqual([409, 'domain_exists']);
    for (let n = 2; n <= 5; n += 1) await world.add(project, `c${n}.${domain}`);
    expect(await errorOf(await post('', { hostname: `c6.${domain}` }))).toEqual([
      409,
      'domain_limit_reached',
    ]);
    expect(await errorOf(await post('', { hostname: host }, 'viewer'))).toEqual([403, 'role_required']);
    const { items } = (await (await project.request('viewer', 'GET', '/domains')).json()) as {
      items: { hostname: string }[];
    };
    const names = ['c2', 'c3', 'c4', 'c5', 'consent'];
    expect(items.map(({ hostname }) => hostname)).toEqual(names.map((name) => `${name}.${domain}`));
  });

  it('writes the audit log', async () => {
    const { id } = await world.add(project, host);
    expect((await post(`/${id}/check`)).status).toBe(200);
    expect((await project.request('editor', 'DELETE', `/domains/${id}`)).status).toBe(204);
    const rows = await world.service.database.query<{ action: string; target: string }>(
      'select action, target from audit_event where project_id = $1 order by id',
      [project.id],
    );
    expect(rows).toEqual(
      ['create', 'check', 'remove'].map((verb) => ({ action: `custom_domain.${verb}`, target: host })),
    );
  });
});

describe('a check', () => {
  it('verifies the CNAME, and returns the result', async () => {
    const { id, records } = await world.add(project, host);
    expect(await (await post(`/${id}/check`)).json()).toMatchObject({
      state: 'pending',
      problem: 'no_record',
    });
    world.records[host] = { alias: records.cname.value };
    const checked = (await (await post(`/${id}/check`)).json()) as Json;
    expect(checked).toMatchObject({ state: 'verified', method: 'cname', problem: null });
    expect(checked['certificate']).toEqual({
      allowed: true,
      askedAt: null,
      caaKnown: true,
      caaIssuers: null,
      caaForbids: false,
    });
  });

  it('verifies the TXT of an apex domain', async () => {
    const { id, records } = await world.add(project, domain);
    world.records[records.txt.name] = { texts: ['something else', records.txt.value] };
    await world.checkDue();
    expect(await world.read(project, id)).toMatchObject({ state: 'verified', method: 'txt' });
  });

  it.each([
    ['no record', () => [], 'no_record', null],
    ['an address', () => ['192.0.2.7'], 'address_record', '192.0.2.7'],
    ['an IPv6 address', () => ['2001:db8::7'], 'address_record', '2001:db8::7'],
    ['another target', () => ({ alias: 'cdn.example' }), 'other_target', 'cdn.example'],
    [
      'a wrong token',
      () => ({ alias: `${'0'.repeat(32)}.${TARGET}` }),
      'wrong_token',
      `${'0'.repeat(32)}.${TARGET}`,
    ],
    ['an error', () => ({ error: true as const }), 'resolvers_failed', null],
  ])('names %s', async (_name, record, problem, found) => {
    const { id } = await world.add(project, host);
    world.records[host] = record();
    await world.checkDue();
    expect(await world.read(project, id)).toMatchObject({ state: 'pending', problem, found });
  });

  it('needs both resolvers', async () => {
    const { id, records } = await world.add(project, host);
    world.records[host] = { alias: records.cname.value };
    world.secondRecords[host] = [];
    await world.checkDue();
    expect(await world.read(project, id)).toMatchObject({ state: 'pending', problem: 'resolvers_disagree' });
    delete world.secondRecords[host];
    expect(await world.checkDue()).toBe(0);
    expect(await world.checkDue(later(HOUR_MS))).toBeGreaterThan(0);
    expect(await world.read(project, id)).toMatchObject({ state: 'verified' });
  });

  it('reads the CAs that may issue', async () => {
    world.records[domain] = { issuers: ['pki.goog', 'digicert.com'] };
    const { id } = await verified();
    expect((await world.read(project, id)).certificate).toMatchObject({
      caaIssuers: ['pki.goog', 'digicert.com'],
      caaForbids: true,
    });
    world.records[domain] = { issuers: ['letsencrypt.org'] };
    await post(`/${id}/check`);
    expect((await world.read(project, id)).certificate).toMatchObject({ caaForbids: false });
    // Records of the host replace the records of the domain above.
    world.records[host] = { issuers: ['sectigo.com'] };
    await post(`/${id}/check`);
    expect((await world.read(project, id)).certificate).toMatchObject({
      caaIssuers: ['sectigo.com'],
      caaForbids: true,
    });
  });

  it('is one at a time: two workers share what is due', async () => {
    await Promise.all([1, 2, 3, 4].map((n) => world.add(project, `c${n}.${domain}`)));
    const checks = world.service.app.get(DomainChecks, { strict: false });
    const counts = await Promise.all([checks.checkDue(new Date()), checks.checkDue(new Date())]);
    expect(counts[0]! + counts[1]!).toBe(4);
  });

  it('that a worker did not finish is due again ten minutes later', async () => {
    const { id } = await world.add(project, host);
    const startedMs = Date.now();
    const isClaimed = async (afterMs: number): Promise<boolean> => {
      const claimed = await claimDue(world.service.database.orm.em.fork(), new Date(startedMs + afterMs));
      return claimed.some((domain) => domain.id === id);
    };
    expect(await isClaimed(0)).toBe(true);
    expect(await isClaimed(10 * MINUTE_MS - 1)).toBe(false);
    expect(await isClaimed(10 * MINUTE_MS)).toBe(true);
  });
});

describe('a domain whose records are gone', () => {
  it('fails with a mail, recovers, and is suspended and released in time', async () => {
    await addOwner(project.id);
    const { id, records } = await verified();
    delete world.records[host];
    await world.checkDue(later(21 * HOUR_MS));
    const failing = await world.read(project, id);
    // The method is that of the last good check.
    expect(failing).toMatchObject({ state: 'failing', problem: 'no_record', method: 'cname' });
    expect(Date.parse(failing.stateEndsAt!) - Date.parse(failing.stateSince)).toBe(7 * DAY_MS);
    expect(await mails()).toEqual(['custom_domain']);

    world.records[host] = { alias: records.cname.value };
    await world.checkDue(later(23 * HOUR_MS));
    expect(await world.read(project, id)).toMatchObject({ state: 'verified', stateEndsAt: null });

    delete world.records[host];
    const failedAt = 2 * DAY_MS;
    for (const [afterMs, state, mailed] of [
      [0, 'failing', 2],
      [6 * DAY_MS, 'failing', 3],
      [7 * DAY_MS, 'suspended', 3],
      [(7 + 27) * DAY_MS, 'suspended', 4],
    ] as const) {
      await world.checkDue(later(failedAt + afterMs));
      expect(await world.read(project, id)).toMatchObject({ state });
      expect(await mails()).toHaveLength(mailed);
    }
    await world.checkDue(later(failedAt + 38 * DAY_MS));
    const changes = await world.service.database.query<{ change: string }>(
      `select concat_ws(' ', action, before ->> 'state', after ->> 'state') as change from audit_event
       where project_id = $1 and actor_kind = 'system' order by id`,
      [project.id],
    );
    expect(changes.map(({ change }) => change.replace('custom_domain.', ''))).toEqual([
      'change_state pending verified',
      'change_state verified failing',
      'change_state failing verified',
      'change_state verified failing',
      'change_state failing suspended',
      'release suspended',
    ]);
    expect((await eventsOf(project, 'custom_domain.failing')).map((event) => event['id'])).toEqual([id, id]);
    expect(await errorOf(await project.request('viewer', 'GET', `/domains/${id}`))).toEqual([
      404,
      'domain_not_found',
    ]);
  });

  it('fails when the project gives up the domain it is below', async () => {
    const { id } = await verified();
    const changed = await project.request('editor', 'PATCH', '', { domains: ['www.other.example'] });
    expect(changed.status).toBe(200);
    await world.checkDue();
    expect(await world.read(project, id)).toMatchObject({ state: 'failing', problem: 'outside_project' });
  });
});

describe('a host belongs to one project', () => {
  const rival = (): Promise<TestProject> => createTestProject(world.service, { domains: [domain] });

  it('whatever another project claims while DNS names the first', async () => {
    const { id } = await verified();
    const other = await rival();
    const claim = await world.add(other, host);
    await world.checkDue();
    expect(await world.read(other, claim.id)).toMatchObject({ state: 'pending', problem: 'wrong_token' });
    expect(await world.read(project, id)).toMatchObject({ state: 'verified' });
  });

  it('even with a TXT record of the other, as long as the CNAME names it', async () => {
    const { id } = await verified();
    const other = await rival();
    const claim = await world.add(other, host);
    world.records[claim.records.txt.name] = { texts: [claim.records.txt.value] };
    await world.checkDue();
    expect(await world.read(other, claim.id)).toMatchObject({ state: 'pending', problem: 'claimed' });
    expect(await world.read(project, id)).toMatchObject({ state: 'verified' });
  });

  it('even where DNS names another, as long as it does not deny the first one', async () => {
    const first = await world.add(project, domain);
    world.records[first.records.txt.name] = { texts: [first.records.txt.value] };
    await world.checkDue();
    const other = await rival();
    const claim = await world.add(other, domain);
    // Its text is found; then the name servers fail, so that nothing is known of the first one's.
    let questions = 0;
    const texts = [claim.records.txt.value];
    const servers = 2;
    Object.defineProperty(world.records, claim.records.txt.name, {
      configurable: true,
      enumerable: true,
      get: () => (questions++ < servers ? { texts } : { error: true }),
    });
    await other.request('editor', 'POST', `/domains/${claim.id}/check`);
    expect(questions).toBeGreaterThan(servers);
    expect(await world.read(other, claim.id)).toMatchObject({ state: 'pending', problem: 'claimed' });
    expect(await world.read(project, first.id)).toMatchObject({ state: 'verified' });
  });

  it('after its removal, a dangling CNAME serves nobody else', async () => {
    const { id } = await verified();
    await project.request('editor', 'DELETE', `/domains/${id}`);
    const other = await rival();
    const claim = await world.add(other, host);
    await world.checkDue();
    expect(await world.read(other, claim.id)).toMatchObject({ state: 'pending', problem: 'wrong_token' });
    // The project that DNS names can have it again.
    const again = await world.add(project, host);
    await world.checkDue();
    expect(await world.read(project, again.id)).toMatchObject({ state: 'verified' });
  });

  it('and moves at once when DNS names another, with a mail to each owner', async () => {
    await addOwner(project.id);
    await addOwner(project.id);
    const { id } = await verified();
    const other = await rival();
    const claim = await world.add(other, host);
    world.records[host] = { alias: claim.records.cname.value };
    await world.checkDue();
    expect(await world.read(other, claim.id)).toMatchObject({ state: 'verified' });
    expect((await project.request('viewer', 'GET', `/domains/${id}`)).status).toBe(404);
    expect(await mails()).toEqual(['custom_domain', 'custom_domain']);
  });

  it('is claimed by many, and verified by one, when all check at once', async () => {
    const others = await Promise.all([1, 2, 3].map(() => rival()));
    const claims = await Promise.all(others.map((other) => world.add(other, host)));
    world.records[host] = { alias: claims[1]!.records.cname.value };
    world.records[`_service-challenge.${host}`] = { texts: claims.map(({ records }) => records.txt.value) };
    await world.checkDue();
    const states = await Promise.all(others.map((other, n) => world.read(other, claims[n]!.id)));
    expect(states.filter(({ state }) => state === 'verified')).toHaveLength(1);
  });
});

it('is deleted with its project', async () => {
  await verified();
  expect((await project.request('owner', 'DELETE', '')).status).toBe(204);
  const rows = await world.service.database.query('select from custom_domain where hostname = $1', [host]);
  expect(rows).toEqual([]);
});

it('is checked at once after a change of owners, and those of other projects are not', async () => {
  const { id } = await verified();
  const other = await createTestProject(world.service, { domains: [domain] });
  const untouched = await verified(other, `other.${domain}`);
  const first = await addOwner(project.id);
  await addOwner(project.id);
  expect(Date.parse((await world.read(project, id)).nextCheckAt)).toBeGreaterThan(Date.now() + HOUR_MS);
  await world.service.app
    .get(MembershipService, { strict: false })
    .leave(project.id, { kind: 'user', userId: first, emailConfirmed: true } as never);
  expect(Date.parse((await world.read(project, id)).nextCheckAt)).toBeLessThanOrEqual(Date.now());
  expect((await world.read(other, untouched.id)).nextCheckAt).toBe(untouched.nextCheckAt);
});

async function addOwner(projectId: string): Promise<string> {
  const [row] = await world.service.database.query<{ id: string }>(
    `insert into app_user (id, email, name, email_verified, created_at, updated_at)
     values (gen_random_uuid(), gen_random_uuid() || '@example.com', 'An owner', true, now(), now()) returning id`,
  );
  await world.service.database.query(
    `insert into project_member (project_id, user_id, role, created_at) values ($1, $2, 'owner', now())`,
    [projectId, row!.id],
  );
  return row!.id;
}

describe('without a target', () => {
  it('nothing can be added', async () => {
    const bare = await startDomainWorld({ CUSTOM_DOMAIN_TARGET: '' });
    try {
      const own = await createTestProject(bare.service, { domains: [domain] });
      expect(await (await own.request('viewer', 'GET', '/domains')).json()).toMatchObject({
        target: null,
        items: [],
      });
      const refused = await own.request('editor', 'POST', '/domains', { hostname: host });
      expect(await errorOf(refused)).toEqual([503, 'custom_domains_not_configured']);
    } finally {
      await bare.close();
    }
  });
});

it('allows so many attempts a day', async () => {
  const strict = await startDomainWorld({ CUSTOM_DOMAIN_ATTEMPTS_PER_DAY: '2' });
  try {
    const own = await createTestProject(strict.service, { domains: [domain] });
    const { id } = await strict.add(own, host);
    const check = (): Promise<Response> => own.request('editor', 'POST', `/domains/${id}/check`);
    expect((await check()).status).toBe(200);
    const secondsLeft = (): number => Math.ceil((DAY_MS - (Date.now() % DAY_MS)) / 1000);
    const most = secondsLeft();
    const refused = await check();
    const retryAfter = Number(refused.headers.get('retry-after'));
    expect(retryAfter).toBeLessThanOrEqual(most);
    expect(retryAfter).toBeGreaterThanOrEqual(secondsLeft());
    expect(await errorOf(refused)).toEqual([429, 'too_many_requests']);
    // The next day starts at none.
    await strict.service.database.query(`update custom_domain_attempts set day = day - 1`);
    const statuses = [(await check()).status, (await check()).status, (await check()).status];
    expect(statuses).toEqual([200, 200, 429]);
  } finally {
    await strict.close();
  }
});
