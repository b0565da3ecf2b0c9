import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { EntityManager } from '@mikro-orm/postgresql';
import { Logger } from '@nestjs/common';
import { WakeupNotifier } from '../../src/platform/outbox/infrastructure/wakeup-notifier.js';
import { OutboxStore } from '../../src/platform/outbox/infrastructure/outbox.store.js';
import { OutboxService } from '../../src/platform/outbox/outbox.service.js';
import { Metrics } from '../../src/platform/operations/metrics.js';
import { TIER_CHANGED, tierChangedMessage } from '../../src/modules/licensing/licensing.events.js';
import { newId } from '../../src/platform/identity/ids.js';
import type { TestDatabase } from '../support/database/database.js';
import { workersIdle } from '../support/programs/workers-idle.js';
import { choose, createForwardingProject, settled } from '../support/programs/pipeline.js';
import {
  makeTestAuthority,
  type Receiver,
  startReceiver,
  type TestAuthority,
} from '../support/fakes/receiver.js';
import { startTestService, type TestService } from '../support/programs/service.js';
import { onlyWakeups } from '../support/programs/only-wakeups.js';
import { until } from '../support/until.js';

/** A steady stream of records, and the pause between two of them. */
const STREAM_RECORDS = 100;
const STREAM_PAUSE_MS = 10;
const RESENDS = 3;

let testAuthority: TestAuthority;
let receiver: Receiver;
let service: TestService;
/** Warnings of the start. */
const warnings: unknown[][] = [];

beforeAll(async () => {
  testAuthority = await makeTestAuthority();
  receiver = await startReceiver(testAuthority.authority, { behaviour: { kind: 'answer', status: 204 } });
  const { warn } = Logger.prototype;
  Logger.prototype.warn = function collected(...given: unknown[]) {
    warnings.push(given);
  };
  service = await startTestService(
    {
      RUN_WORKER: 'true',
      OUTBOX_POLL_MS: '60000',
      FORWARDING_ALLOWED_PRIVATE_TARGETS: '127.0.0.0/8',
      FORWARDING_EXTRA_CA_FILE: testAuthority.caFile,
    },
    writeUnknownTopic,
  ).finally(() => {
    Logger.prototype.warn = warn;
  });
});

afterAll(async () => {
  await service.close();
  await receiver.close();
  testAuthority.remove();
});

/** As a newer version would, before other messages of the key. */
async function writeUnknownTopic(database: TestDatabase): Promise<void> {
  await database.query(
    `insert into outbox_message (ordering_key, project_id, topic, subject_id, created_at)
     values ($1, null, 'newer.topic', gen_random_uuid(), now() - interval '1 hour')`,
    [newId()],
  );
}

describe('a message of a topic that this version does not handle', () => {
  it('lets the worker start, waits, and is counted apart', async () => {
    const store = service.app.get(OutboxStore, { strict: false });
    const { topics } = service.app.get(OutboxService);
    expect(await store.backlog(topics)).toMatchObject({ waiting: 1, unhandled: 1, oldestAgeSeconds: 0 });
    const metrics = await service.app.get(Metrics, { strict: false }).registry.metrics();
    expect(metrics).toContain('outbox_unhandled_messages 1');
    expect(warnings).toContainEqual([
      { topics: ['newer.topic'] },
      expect.stringContaining('topics that this version does not handle'),
    ]);
    await service.database.query('delete from outbox_message');
  });
});

describe('an appended message', () => {
  /** An outbox whose wake-ups the test counts, each with the messages that another session sees at that moment. */
  const countedOutbox = (): { outbox: OutboxService; seenAtRing: Promise<number>[] } => {
    const seenAtRing: Promise<number>[] = [];
    const notify = (): void => {
      seenAtRing.push(service.database.query('select from outbox_message').then(({ length }) => length));
    };
    const outbox = new OutboxService(service.app.get(EntityManager), { notify });
    outbox.onModuleInit();
    outbox.announce(TIER_CHANGED);
    return { outbox, seenAtRing };
  };

  it('rings once, after the commit', async () => {
    const { outbox, seenAtRing } = countedOutbox();
    const em = service.app.get(EntityManager).fork();
    await em.transactional(async (tx) => {
      // Payloads keep the worker of this service from settling them at once.
      const messages = [newId(), newId()].map((id) => ({
        ...tierChangedMessage(id),
        payload: { recheck: true },
      }));
      await outbox.appendMany(tx, messages);
      await outbox.append(tx, { ...tierChangedMessage(newId()), payload: { recheck: true } });
      expect(seenAtRing).toHaveLength(0);
    });
    expect(await Promise.all(seenAtRing)).toEqual([3]);
    await em.transactional((tx) => tx.execute('select 1'));
    expect(seenAtRing).toHaveLength(1);
    await service.database.query('delete from outbox_message');
  });

  it('rings for nobody when it is rolled back', async () => {
    const { outbox, seenAtRing } = countedOutbox();
    const em = service.app.get(EntityManager).fork();
    const failing = em.transactional(async (tx) => {
      await outbox.append(tx, tierChangedMessage(newId()));
      throw new Error('rolled back');
    });
    await expect(failing).rejects.toThrow('rolled back');
    expect(seenAtRing).toHaveLength(0);
  });

  it('is rung for seldom, and worked on, while records keep coming', async () => {
    const project = await createForwardingProject(service, receiver.url);
    const notifier = service.app.get(WakeupNotifier);
    const notify = notifier.notify.bind(notifier);
    let rings = 0;
    notifier.notify = () => {
      rings += 1;
      notify();
    };
    receiver.requests.length = 0;
    // Earlier tests may have left the worker polling: then there is no wake-up, not for the first record either.
    await workersIdle(service.database);
    const sent: Promise<unknown>[] = [];
    for (let record = 0; record < STREAM_RECORDS; record++) {
      sent.push(choose(service, project.id));
      await new Promise((wake) => setTimeout(wake, STREAM_PAUSE_MS));
    }
    await Promise.all(sent);
    await until('all have come', () => receiver.requests.length === STREAM_RECORDS);
    expect(rings).toBeGreaterThan(0);
    // How few there are depends on the machine.
    expect(rings).toBeLessThan(STREAM_RECORDS);
    notifier.notify = notify;
  });
});

describe('a wake-up without a poll behind it', () => {
  beforeAll(() => onlyWakeups(service.app));

  it('follows a record that is sent again by hand', async () => {
    receiver.requests.length = 0;
    const project = await createForwardingProject(service, receiver.url);
    const { id } = await choose(service, project.id);
    await settled(project, id);
    for (let resend = 1; resend <= RESENDS; resend++) {
      await project.request('editor', 'POST', `/forwarding/deliveries/${id}/resend`);
      await until('it came again', () => receiver.requests.length === resend + 1);
      await settled(project, id, resend + 1);
    }
  });

  it('follows a change of the domains of a project', async () => {
    const project = await createForwardingProject(service, receiver.url);
    const publications = async (): Promise<number> =>
      (await service.database.query('select from outbox_message where subject_id = $1', [project.id])).length;
    await until('the tier is published', async () => (await publications()) === 0);
    for (const domain of ['a.example.com', 'b.example.com', 'c.example.com']) {
      await project.request('owner', 'PATCH', '', { domains: [domain] });
      await until('the site is published', async () => (await publications()) === 0);
    }
  });
});
