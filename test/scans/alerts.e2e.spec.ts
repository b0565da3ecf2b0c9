import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Role } from '../../src/modules/access/domain/role.js';
import type { OutboxMessage } from '../../src/platform/outbox/domain/outbox-message.js';
import { ScanFinishedHandler } from '../../src/modules/scans/application/scan-finished-handler.js';
import { SCAN_FINISHED, SCAN_RECLASSIFIED } from '../../src/modules/scans/scans.events.js';
import type { Json } from '../support/people/json.js';
import { MailServer, type ReceivedMail } from '../support/fakes/mail-server.js';
import { createTestProject, type TestProject } from '../support/people/project.js';
import { insertTestScan, type TestItem, type TestScan } from '../support/people/scan.js';
import { startTestService, type TestService } from '../support/programs/service.js';
import { until } from '../support/until.js';
import { BEHIND_LOOPBACK_PROXY, signUp, type TestUser } from '../support/people/user.js';

const LOGIN = { user: 'post@example.com', password: 'password' };
const FBP: TestItem = {
  name: '_fbp',
  details: { setBy: 'script', initiator: 'connect.facebook.net/en_US/fbevents.js' },
};
const SID: TestItem = { name: 'sid', details: { setBy: 'response' } };

let mail: MailServer;
let service: TestService;
let people: Record<Role, TestUser>;
let project: TestProject;

beforeAll(async () => {
  mail = await MailServer.start(LOGIN);
  service = await startTestService({
    ...BEHIND_LOOPBACK_PROXY,
    RUN_WORKER: 'true',
    OUTBOX_POLL_MS: '50',
    MAIL_URL: `smtp://${encodeURIComponent(LOGIN.user)}:${LOGIN.password}@127.0.0.1:${mail.port}`,
    MAIL_FROM: 'Consent <no-reply@consent.example.com>',
  });
  const [viewer, editor, owner] = (await Promise.all([1, 2, 3].map(() => signUp(service)))) as [
    TestUser,
    TestUser,
    TestUser,
  ];
  people = { viewer, editor, owner };
});
afterAll(async () => {
  await service?.close();
  await mail?.down();
});

beforeEach(async () => {
  mail.received.length = 0;
  project = await createTestProject(service, { name: 'Tea shop', domains: ['shop.example'] });
  for (const [role, { id }] of Object.entries(people))
    await service.database.query(
      'insert into project_member (project_id, user_id, role) values ($1, $2, $3)',
      [project.id, id, role],
    );
});

/** Evaluates a scan as a worker does that receives its message. */
async function evaluate(scanId: string, topic = SCAN_FINISHED): Promise<void> {
  const handler = service.app.get(ScanFinishedHandler, { strict: false });
  const message = { topic, projectId: project.id, subjectId: scanId } as OutboxMessage;
  await handler.run(message);
}

async function scan(given: TestScan): Promise<string> {
  const id = await insertTestScan((sql, params) => service.database.query(sql, params), project.id, given);
  await evaluate(id);
  return id;
}

/** The mails of the project's scans since the last call. */
async function mails(): Promise<ReceivedMail[]> {
  await until('nothing waits', async () => {
    return (await service.database.query('select from outbox_message')).length === 0;
  });
  return mail.received.splice(0);
}

async function subjects(): Promise<string[]> {
  return (await mails()).map(({ subject }) => String(subject));
}

const linkIn = ({ text }: ReceivedMail): string =>
  /\/unsubscribe\?token=[\w-]+/.exec(String(text))?.[0] ?? 'no link';
const header = ({ headers }: ReceivedMail, name: string): unknown =>
  headers.find(({ key }) => key === name)?.value;
const choice = async (role: Role, enabled?: boolean): Promise<Json> => {
  const path = `/v1/projects/${project.id}/scan-alerts`;
  const response = await (enabled === undefined
    ? people[role].request('GET', path)
    : people[role].request('PUT', path, { enabled }));
  expect(response.status).toBe(200);
  return (await response.json()) as Json;
};

describe('the alerts of a scan', () => {
  it('go to owners once, with what was found, a link to the scan and one to unsubscribe', async () => {
    const id = await scan({ items: [FBP, SID] });
    const [first, ...others] = await mails();
    if (!first) throw new Error('no mail was sent');
    expect(others).toEqual([]);
    expect(first).toMatchObject({
      to: [people.owner.email],
      subject: 'Scan of "Tea shop": storage before consent',
      text: expect.stringContaining(`/projects/${project.id}/scans/${id}`),
    });
    expect(first.text).toContain('"_fbp"');
    expect(header(first, 'list-unsubscribe-post')).toBe('List-Unsubscribe=One-Click');
    const events = await service.database.query(
      `select actor_kind, target, after from audit_event where project_id = $1 and action = 'scan.alert'`,
      [project.id],
    );
    expect(events).toEqual([
      {
        actor_kind: 'system',
        target: id,
        after: {
          newItems: { count: 0, names: [] },
          beforeConsent: { count: 1, names: ['_fbp'] },
          loaderGone: [],
        },
      },
    ]);
    expect(await (await fetch(`${service.baseUrl}/metrics`)).text()).toMatch(
      /scan_alerts_total\{kind="before_consent"\} [1-9]/,
    );
  });

  it('are not repeated when the message comes again or decisions change, nor for the next scan of the same', async () => {
    const id = await scan({ items: [FBP] });
    expect(await subjects()).toHaveLength(1);
    await evaluate(id);
    await evaluate(id, SCAN_RECLASSIFIED);
    await scan({ items: [FBP] });
    expect(await subjects()).toEqual([]);
  });

  it('name what no earlier scan saw, and nothing after the first scan', async () => {
    await scan({ items: [SID] });
    expect(await subjects()).toEqual([]);
    await scan({ items: [SID, { name: 'theme' }, { name: 'lang' }] });
    const [first] = await mails();
    expect(first?.subject).toBe('Scan of "Tea shop": 2 new items');
    expect(first?.text).toContain('"lang"');
  });

  it('say that the loader is gone after two scans without it, once', async () => {
    const items = [SID];
    await scan({ items });
    await scan({ items, withoutLoader: [1, 2] });
    expect(await subjects()).toEqual([]);
    await scan({ items, withoutLoader: [1, 2] });
    expect(await subjects()).toEqual(['Scan of "Tea shop": loader missing']);
    await scan({ items, withoutLoader: [1, 2] });
    // On some pages it is there.
    await scan({ items, withoutLoader: [1] });
    await scan({ items, withoutLoader: [1] });
    expect(await subjects()).toEqual([]);
  });

  it('go to members who turned them on, and to nobody who turned them off or left', async () => {
    expect([await choice('owner'), await choice('editor')]).toEqual([{ enabled: true }, { enabled: false }]);
    expect(await choice('viewer', true)).toEqual({ enabled: true });
    expect(await choice('owner', false)).toEqual({ enabled: false });
    await scan({ items: [FBP] });
    expect((await mails()).map(({ to }) => to)).toEqual([[people.viewer.email]]);
    await service.database.query('delete from project_member where project_id = $1 and user_id = $2', [
      project.id,
      people.viewer.id,
    ]);
    await scan({ items: [FBP, { name: 'theme' }] });
    expect(await subjects()).toEqual([]);
  });

  it('never go to an address that is not confirmed', async () => {
    const confirm = (confirmed: boolean): Promise<unknown> =>
      service.database.query('update app_user set email_verified = $2 where id = $1', [
        people.owner.id,
        confirmed,
      ]);
    await confirm(false);
    try {
      await scan({ items: [FBP] });
      expect(await subjects()).toEqual([]);
    } finally {
      await confirm(true);
    }
    await scan({ items: [FBP, { name: 'theme' }] });
    expect((await mails()).map(({ to }) => to)).toEqual([[people.owner.email]]);
  });

  it('are refused to API keys, and to bodies that say nothing', async () => {
    expect((await project.request('owner', 'GET', '/scan-alerts')).status).toBe(403);
    const path = `/v1/projects/${project.id}/scan-alerts`;
    for (const body of [{}, { enabled: 'yes' }, { enabled: null }, { enabled: true, other: 1 }])
      expect((await people.owner.request('PUT', path, body)).status).toBe(422);
    expect(await choice('owner')).toEqual({ enabled: true });
  });
});

describe('the unsubscribe link', () => {
  it('asks on a page, and turns alerts off for this person and project without a session', async () => {
    await scan({ items: [FBP] });
    const [first] = await mails();
    if (!first) throw new Error('no mail was sent');
    const link = service.baseUrl + linkIn(first);
    expect(header(first, 'list-unsubscribe')).toMatch(/^<http:.*>$/);
    const page = await fetch(link);
    expect([page.status, page.headers.get('cache-control')]).toEqual([200, 'no-store']);
    expect(await page.text()).toContain('Stop emails about scans of “Tea shop”?');
    const german = await fetch(link, { headers: { 'accept-language': 'de-DE,de;q=0.9' } });
    expect(await german.text()).toContain('Keine E-Mails mehr über Scans von „Tea shop“ erhalten?');
    // Opening it changes nothing.
    expect(await choice('owner')).toEqual({ enabled: true });
    for (let time = 0; time < 2; time++) {
      const oneClick = await fetch(link, {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: 'List-Unsubscribe=One-Click',
      });
      expect(oneClick.status).toBe(200);
      expect(await oneClick.text()).toContain('You are unsubscribed.');
    }
    expect(await choice('owner')).toEqual({ enabled: false });
    await service.database.query('delete from project_member where project_id = $1', [project.id]);
    expect(await (await fetch(link)).text()).toContain('You no longer get emails');
    expect((await fetch(link, { method: 'POST' })).status).toBe(200);
  });

  it.each(['', '?token=', '?token=abc', `?token=${'A'.repeat(86)}`, '?token=a&token=b', '?other=1'])(
    '%j is not valid, and changes nothing',
    async (query) => {
      for (const method of ['GET', 'POST']) {
        const response = await fetch(`${service.baseUrl}/unsubscribe${query}`, { method });
        expect(response.status).toBe(404);
        expect(await response.text()).toContain('This link is not valid.');
      }
      expect(
        await service.database.query('select from scan_alert_choice where project_id = $1', [project.id]),
      ).toEqual([]);
    },
  );
});
