import { EntityManager } from '@mikro-orm/postgresql';
import { OperatorBilling } from '../../../src/modules/billing/application/operator-billing.js';
import { reviveEvents } from '../../../src/modules/billing/application/billing-commands.js';
import { BILLING_EVENT } from '../../../src/modules/billing/domain/billing-message.js';
import { LicensingService } from '../../../src/modules/licensing/licensing.service.js';
import { OutboxDispatcher } from '../../../src/platform/outbox/application/outbox.dispatcher.js';
import { OutboxSettler } from '../../../src/platform/outbox/application/outbox.settler.js';
import { PartitionRotation } from '../../../src/platform/outbox/application/partition-rotation.js';
import { OutboxPartitions } from '../../../src/platform/outbox/infrastructure/outbox.partitions.js';
import { OutboxClaimer } from '../../../src/platform/outbox/infrastructure/outbox.claimer.js';
import { OutboxMetrics } from '../../../src/platform/outbox/infrastructure/outbox.metrics.js';
import { OutboxStore } from '../../../src/platform/outbox/infrastructure/outbox.store.js';
import { OutboxService } from '../../../src/platform/outbox/outbox.service.js';
import { Metrics } from '../../../src/platform/operations/metrics.js';
import type { TestService } from './service.js';
import { until } from '../until.js';

const others = new WeakMap<TestService, BillingWorker>();

/** A worker of the service under test, which processes billing events on demand. */
export class BillingWorker {
  private constructor(
    private readonly service: TestService,
    private readonly dispatcher: OutboxDispatcher,
  ) {}

  /** The service's own, which gets no wake-ups where RUN_WORKER is off. */
  static of(service: TestService): BillingWorker {
    return new BillingWorker(service, service.app.get(OutboxDispatcher, { strict: false }));
  }

  /** Another one on the same database, as a second process has it; the same one each time. */
  static another(service: TestService): BillingWorker {
    const { app, settings } = service;
    const store = app.get(OutboxStore, { strict: false });
    const known = others.get(service);
    if (known) return known;
    const dispatcher = new OutboxDispatcher(
      new OutboxClaimer(settings.outbox, settings.database),
      store,
      app.get(OutboxSettler, { strict: false }),
      app.get(OutboxService, { strict: false }),
      new PartitionRotation(app.get(OutboxPartitions, { strict: false })),
      new OutboxMetrics(new Metrics(), store, app.get(OutboxService, { strict: false })),
      settings.outbox,
    );
    const worker = new BillingWorker(service, dispatcher);
    others.set(service, worker);
    return worker;
  }

  /** Works through all events that are due, and returns when its own part of them is done. */
  async drain(): Promise<void> {
    this.dispatcher.requestPoll();
    await until('no billing event is due', async () => {
      const due = await this.service.database.query(
        'select from outbox_message where topic = $1 and available_at <= now()',
        [BILLING_EVENT],
      );
      if (due.length > 0) this.dispatcher.requestPoll();
      // A claim whose answer is on its way is neither due nor counted yet.
      return due.length === 0 && this.dispatcher['running'] === null && this.dispatcher.leased === 0;
    });
  }
}

/** Brings all retries, and the ends of all leases, forward. */
export async function makeEventsDue({ database }: TestService): Promise<void> {
  await database.query('update outbox_message set available_at = now() where topic = $1', [BILLING_EVENT]);
}

/** `ops billing replay`. */
export function replayEvent({ app }: TestService, eventId: string): Promise<boolean> {
  const em = app.get(EntityManager, { strict: false });
  const outbox = app.get(OutboxService, { strict: false });
  const licensing = app.get(LicensingService, { strict: false });
  return new OperatorBilling(em, licensing, outbox).replay(eventId, { dryRun: false });
}

/** `ops outbox retry --all`. */
export async function retryDeadLetters({ app }: TestService): Promise<number> {
  const store = app.get(OutboxStore, { strict: false });
  const em = app.get(EntityManager, { strict: false }).fork();
  return em.transactional(async (tx) => {
    const letters = await store.revive(tx, null);
    await reviveEvents(tx, letters);
    return letters.length;
  });
}
