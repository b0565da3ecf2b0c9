import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { EntityManager } from '@mikro-orm/postgresql';
import { MAIL_ATTEMPTS_MAX, MAIL_SEND } from '../../src/platform/mail/domain/mail-message.js';
import { MailService } from '../../src/platform/mail/mail.service.js';
import { OutboxDispatcher } from '../../src/platform/outbox/application/outbox.dispatcher.js';
import { namedKey } from '../../src/platform/outbox/domain/ordering-key.js';
import { MailServer } from '../support/fakes/mail-server.js';
import { type Outcome, runProgram } from '../support/programs/run-ops.js';
import { createTestProject } from '../support/people/project.js';
import { startTestService, type TestService } from '../support/programs/service.js';
import { Metrics } from '../../src/platform/operations/metrics.js';
import { until } from '../support/until.js';

const LOGIN = { user: 'post@example.com', password: 'pass/word of the server' };
const ADA = 'ada@example.com';
const SLOW_MAILS = 100;
/** An attempt may take half a lease: more than a busy machine needs. */
const LEASE_MS = 6_000;

let mail: MailServer;
let service: TestService;

beforeAll(async () => {
  mail = await MailServer.start(LOGIN);
  service = await startTestService({
    MAIL_URL: mailUrl(LOGIN),
    MAIL_FROM: 'Consent <no-reply@consent.example.com>',
    OUTBOX_LEASE_MS: String(LEASE_MS),
    FORWARDING_TIMEOUT_MS: '500',
  });
});
afterAll(async () => {
  await service?.close();
  await mail?.down();
});
afterEach(async () => {
  mail.silent = false;
  mail.refusals.length = 0;
  await mail.up();
});
beforeEach(async () => {
  mail.received.length = 0;
  await service.database.query('delete from outbox_message');
  await service.database.query('delete from outbox_dead_letter');
});

function mailUrl({ user, password }: typeof LOGIN): string {
  return `smtp://${encodeURIComponent(user)}:${encodeURIComponent(password)}@127.0.0.1:${mail.port}`;
}

/** Appends a mail in its own transaction, and wakes the service's worker. */
async function send(
  fields: { to?: string; until?: Date; language?: 'de' } = {},
  of = service,
): Promise<void> {
  const em = of.app.get(EntityManager, { strict: false }).fork();
  const mails = of.app.get(MailService, { strict: false });
  await em.transactional((tx) => mails.send({ to: ADA, template: 'test', values: {}, ...fields }, tx));
  requestPoll(of);
}

function requestPoll(of = service): void {
  of.app.get(OutboxDispatcher, { strict: false }).requestPoll();
}

interface Waiting extends Record<string, unknown> {
  failures: number;
  last_error: string;
}

/** Mails that wait for a second attempt. */
async function retried(): Promise<Waiting> {
  return until('a mail waits for its next attempt', async () => {
    const rows = await service.database.query<Waiting>(
      'select failures, last_error from outbox_message where claim_id is null and failures > 0',
    );
    return rows[0];
  });
}

async function makeDue(): Promise<void> {
  await service.database.query('update outbox_message set available_at = now()');
  requestPoll();
}

async function deadLetters(): Promise<string> {
  await until(
    'a dead letter',
    async () => (await service.database.query('select from outbox_dead_letter')).length > 0,
  );
  return (await ops('outbox dead')).out;
}

function ops(args: string, environment: NodeJS.ProcessEnv = {}): Promise<Outcome> {
  return runProgram('ops', args.split(' '), {
    NODE_ENV: 'test',
    DATABASE_URL: service.database.url,
    DATA_DIR: service.settings.service.dataDir,
    ...environment,
  });
}

describe('a mail', () => {
  it('arrives as plain text and HTML, once, from the sender that is set', async () => {
    await send();
    const received = await mail.mailTo(ADA);
    expect(received).toMatchObject({
      from: 'no-reply@consent.example.com',
      to: [ADA],
      subject: 'Test email from Service',
      text: expect.stringMatching(
        /^An operator sent this email .* It does\.\n\n-- \nService\nYou received this email because .*\.\n+$/,
      ),
      messageId: expect.stringMatching(/^<[0-9a-f-]{36}@consent\.example\.com>$/),
    });
    expect(received.html).toMatch(
      /<p [^>]*>An operator sent this email to check that email delivery works\. It does\.<\/p>/,
    );
    expect(received.headers).toContainEqual(
      expect.objectContaining({ key: 'auto-submitted', value: 'auto-generated' }),
    );
    await until(
      'nothing waits',
      async () => (await service.database.query('select from outbox_message')).length === 0,
    );
    expect(mail.received).toEqual([]);
  });

  it('is in the language of its account, else in the one that the sender names, else in English', async () => {
    await service.database.query(
      `insert into app_user (id, name, email, language) values (gen_random_uuid(), 'Bo', 'bo@example.com', 'de')`,
    );
    const subjects = async (to: string, language?: 'de'): Promise<string | undefined> => {
      await send({ to, ...(language && { language }) });
      return (await mail.mailTo(to)).subject;
    };
    expect(await subjects('bo@example.com')).toBe('Test-E-Mail von Service');
    expect(await subjects('nobody@example.com', 'de')).toBe('Test-E-Mail von Service');
    expect(await subjects('nobody@example.com')).toBe('Test email from Service');
    await service.database.query(`update app_user set language = 'fr' where email = 'bo@example.com'`);
    expect(await subjects('bo@example.com', 'de')).toBe('Test email from Service');
  });

  it('is not sent where the transaction is taken back', async () => {
    const em = service.app.get(EntityManager, { strict: false }).fork();
    const mails = service.app.get(MailService, { strict: false });
    await expect(
      em.transactional(async (tx) => {
        await mails.send({ to: ADA, template: 'test', values: {} }, tx);
        throw new Error('taken back');
      }),
    ).rejects.toThrow('taken back');
    expect(await service.database.query('select from outbox_message')).toEqual([]);
  });

  it('waits with neither addressee nor content in clear', async () => {
    await mail.down();
    try {
      await send();
      await retried();
      const [row] = await service.database.query<{ all: string }>(
        `select to_jsonb(m)::text as all from outbox_message m where topic = '${MAIL_SEND}'`,
      );
      expect(row?.all).toContain('"template": "test"');
      expect(row?.all).not.toContain('ada@');
    } finally {
      await mail.up();
    }
  });

  it('waits while the server is down, and is sent when it is up', async () => {
    await mail.down();
    await send();
    expect(await retried()).toEqual({ failures: 1, last_error: 'Cannot connect to the mail server.' });
    await mail.up();
    await makeDue();
    expect(await mail.mailTo(ADA)).toMatchObject({ to: [ADA] });
  });

  it('that waits for its server is told by the age of mail, and not by that of the outbox', async () => {
    await mail.down();
    await send();
    await retried();
    await service.database.query("update outbox_message set created_at = now() - interval '1 hour'");
    const value = async (name: string): Promise<number> => {
      const metric = service.app.get(Metrics, { strict: false }).registry.getSingleMetric(name);
      return (await metric?.get())?.values[0]?.value ?? Number.NaN;
    };
    await until('the age of the mail', async () => (await value('mail_oldest_age_seconds')) > 3_500);
    expect(await value('outbox_oldest_age_seconds')).toBeLessThan(60);
    await mail.up();
    await makeDue();
    await mail.mailTo(ADA);
  });

  it('is left after the time that an attempt has, where the server says nothing', async () => {
    mail.silent = true;
    await send();
    expect(await retried()).toEqual({
      failures: 1,
      last_error: 'The mail server did not accept the email in time.',
    });
    mail.silent = false;
    await makeDue();
    await mail.mailTo(ADA);
  });

  it.each(['rcpt', 'data'] as const)('that is put off at %s is sent later', async (at) => {
    mail.refusals.push({ at, status: 451, words: '4.7.1 {to} is greylisted' });
    await send();
    expect(await retried()).toMatchObject({
      failures: 1,
      last_error: expect.stringMatching(
        /^The mail server deferred the email: 451 4\.7\.1 to (RCPT TO|DATA)\.$/,
      ),
    });
    await makeDue();
    await mail.mailTo(ADA);
  });

  it('that is refused is a dead letter that names nobody, and can be sent again', async () => {
    mail.refusals.push({ at: 'rcpt', status: 550, words: '5.1.1 no mailbox {to}' });
    await send();
    const listed = await deadLetters();
    expect(listed).toMatch(
      / mail\.send {2}[0-9a-f-]{36} {2}1 failures: The mail server rejected the email: 550 5\.1\.1 to RCPT TO\.\n$/,
    );
    expect(listed).not.toContain('ada@');
    expect((await ops('outbox retry --all')).out).toContain('Retrying 1;');
    requestPoll();
    await mail.mailTo(ADA);
  });

  it('is a dead letter after the last attempt', async () => {
    await mail.down();
    try {
      await send();
      await retried();
      await service.database.query('update outbox_message set failures = $1', [MAIL_ATTEMPTS_MAX - 1]);
      await makeDue();
      expect(await deadLetters()).toContain(
        `${MAIL_ATTEMPTS_MAX} failures: Cannot connect to the mail server.`,
      );
    } finally {
      await mail.up();
    }
  });

  it('is dropped where its link has ended', async () => {
    await send({ to: 'late@example.com', until: new Date(Date.now() - 1) });
    await send();
    await mail.mailTo(ADA);
    expect(mail.received).toEqual([]);
    expect(await service.database.query('select from outbox_dead_letter')).toEqual([]);
  });
});

describe('slow mails of one account', () => {
  it('delay neither the links nor the notices of others', async () => {
    const [slow, other] = [await createTestProject(service), await createTestProject(service)];
    const em = service.app.get(EntityManager, { strict: false }).fork();
    const mails = service.app.get(MailService, { strict: false });
    const invitation = { project: 'A project', role: 'viewer', link: 'https://consent.example.com/x' };
    mail.heldHost = 'slow.example';
    try {
      await em.transactional(async (tx) => {
        for (let n = 0; n < SLOW_MAILS / 2; n += 1) {
          const to = `${n}@slow.example`;
          const of = { to, projectId: slow.id };
          await mails.send({ ...of, template: 'invitation', values: invitation }, tx);
          await mails.send({ ...of, template: 'test', values: {} }, tx);
        }
      });
      requestPoll();
      await until('the slow ones are under way', () => mail.held >= 2);
      await em.transactional(async (tx) => {
        const link = 'https://consent.example.com/y';
        await mails.send({ to: 'reset@example.com', template: 'reset_password', values: { link } }, tx);
        await mails.send({ to: 'notice@example.com', template: 'password_changed', values: {} }, tx);
        const to = 'invited@example.com';
        await mails.send({ to, projectId: other.id, template: 'invitation', values: invitation }, tx);
      });
      requestPoll();
      for (const to of ['reset', 'notice', 'invited']) await mail.mailTo(`${to}@example.com`);
      // One of each kind: more would take the slots of others.
      expect(mail.held).toBe(2);
    } finally {
      await service.database.query('delete from outbox_message where claim_id is null');
      mail.release();
    }
    await until(
      'nothing waits',
      async () => (await service.database.query('select from outbox_message')).length === 0,
    );
  });

  it('wait under a key that does not lead to the address', async () => {
    await mail.down();
    try {
      await send();
      await retried();
      const [row] = await service.database.query<{ ordering_key: string }>(
        'select ordering_key from outbox_message',
      );
      expect(row?.ordering_key).toMatch(/^[\da-f]{8}-[\da-f]{4}-8/);
      expect(row?.ordering_key).not.toBe(namedKey(`mail mailbox ${ADA}`));
    } finally {
      await mail.up();
      await makeDue();
      await mail.mailTo(ADA);
    }
  });
});

describe('the password of the mail server', () => {
  it('is shown to it, and is in no sentence where it is wrong', async () => {
    mail.logins.length = 0;
    const { code, out, err } = await ops(`mail test ${ADA}`, {
      MAIL_URL: mailUrl({ ...LOGIN, password: 'a wrong secret' }),
      MAIL_FROM: 'no-reply@example.com',
      LOG_LEVEL: 'trace',
    });
    expect({ code, out, err }).toEqual({
      code: 1,
      out: '',
      err: 'The mail server rejected the user or password of MAIL_URL: 535.\n',
    });
    expect(mail.logins).toEqual([`${LOGIN.user}:a wrong secret`]);
  });

  it.each([
    ['does not offer trusted encryption', false],
    ['encrypts with a certificate that is not signed', true],
  ])('is not sent to another machine that %s', async (_, startTls) => {
    const other = await MailServer.start(LOGIN, { startTls });
    try {
      const { code, err } = await ops(`mail test ${ADA}`, {
        // This machine, by an address that is not known for it.
        MAIL_URL: mailUrl(LOGIN).replace(`127.0.0.1:${mail.port}`, `0.0.0.0:${other.port}`),
        MAIL_FROM: 'no-reply@example.com',
      });
      expect({ code, err }).toEqual({ code: 1, err: expect.stringMatching(/mail server.*\.\n$/) });
      expect([other.logins, other.received]).toEqual([[], []]);
    } finally {
      await other.down();
    }
  });

  it('is sent to nobody whose certificate nobody has signed', async () => {
    mail.logins.length = 0;
    const other = await MailServer.start(LOGIN, { secure: true });
    try {
      const { code, err } = await ops(`mail test ${ADA}`, {
        MAIL_URL: `smtps://u:${encodeURIComponent(LOGIN.password)}@127.0.0.1:${other.port}`,
        MAIL_FROM: 'no-reply@example.com',
      });
      expect({ code, err }).toEqual({ code: 1, err: expect.stringMatching(/mail server.*\.\n$/) });
      expect(other.logins).toEqual([]);
    } finally {
      await other.down();
    }
  });
});

describe('mails in files', () => {
  it('are shown to nobody where there is no demo', async () => {
    expect((await fetch(`${service.baseUrl}/demo/mail`)).status).toBe(404);
  });
});

describe('ops mail test', () => {
  it('hands a mail over and says so', async () => {
    const { out } = await ops(`mail test ${ADA}`, { MAIL_URL: mailUrl(LOGIN), MAIL_FROM: 'x@example.com' });
    expect(out).toBe('The mail server accepted the email.\n');
    expect(await mail.mailTo(ADA)).toMatchObject({ from: 'x@example.com' });
  });

  it('writes a file that only its owner reads in development', async () => {
    const { out } = await ops(`mail test ${ADA}`);
    expect(out).toBe('Written to the folder "mail" in DATA_DIR.\n');
    const folder = join(service.settings.service.dataDir, 'mail');
    const [name = ''] = readdirSync(folder);
    expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
    expect(JSON.parse(readFileSync(join(folder, name), 'utf8'))).toMatchObject({ to: ADA });
  });
});
