import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { type DeliverySettings, deliverySettings } from '../../../platform/delivery/delivery.settings.js';
import type { EndpointOutcome } from '../../../platform/delivery/endpoint-requests.js';
import { isHealthy } from '../../../platform/delivery/domain/outcome.js';
import { idAt } from '../../../platform/identity/ids.js';
import {
  type Attempt,
  type AttemptResult,
  BUG_SCHEDULE,
  type OutboxMessage,
  type Settled,
} from '../../../platform/outbox/domain/outbox-message.js';
import type { OutboxHandler } from '../../../platform/outbox/outbox.handler.js';
import { OutboxService } from '../../../platform/outbox/outbox.service.js';
import { InjectSettings } from '../../../platform/settings/inject-settings.js';
import { EVENT_DUE, EVENT_REPEAT } from '../events.topics.js';
import { type PendingDelivery, readPending } from '../infrastructure/delivery.rows.js';
import { EventMetrics } from '../infrastructure/event.metrics.js';
import { EventAttempts } from './event-attempts.js';
import { deliveryOf, type EventAttemptEnd, probeOf, settleEvents } from './settle-events.js';

/**
 * Concurrent attempts of a worker, for working endpoints and again for failing and slow ones: with fewer, endpoints that hang
 * would take turns for minutes. The other slots are for consent records.
 */
const SLOTS = 48;
/** Of these, attempts to one endpoint. */
const SLOTS_PER_ENDPOINT = 4;

/** Delivers events to endpoints: the outbox handler of their topics. */
@Injectable()
export class EventSender implements OutboxHandler<EventAttemptEnd>, OnModuleInit {
  readonly topics = [EVENT_DUE, EVENT_REPEAT];
  readonly retry = BUG_SCHEDULE;
  readonly slotsMax = SLOTS;
  readonly slotsPerKeyMax = SLOTS_PER_ENDPOINT;
  readonly attemptMaxMs: number;

  constructor(
    private readonly em: EntityManager,
    private readonly outbox: OutboxService,
    private readonly attempts: EventAttempts,
    private readonly metrics: EventMetrics,
    @InjectSettings(deliverySettings) { timeoutMs }: DeliverySettings,
  ) {
    this.attemptMaxMs = timeoutMs;
  }

  onModuleInit(): void {
    this.outbox.register(this);
  }

  async prepare(messages: OutboxMessage[]): Promise<Attempt<EventAttemptEnd>[]> {
    const pending = await readPending(this.em.fork(), messages.map(deliveryOf));
    const known = new Map(pending.map((delivery) => [keyOf(delivery), delivery]));
    return messages.map((message) => this.attemptOf(message, known.get(keyOf(deliveryOf(message)))));
  }

  private attemptOf(message: OutboxMessage, delivery: PendingDelivery | undefined): Attempt<EventAttemptEnd> {
    if (!delivery) return () => Promise.resolve(settled({ kind: 'ended' }));
    const isProbe = probeOf(message) !== null;
    const isHeld = delivery.phase !== 'closed' && !isProbe;
    // Working endpoints have separate slots.
    const isMisplaced = message.topic === EVENT_DUE && (delivery.failures > 0 || delivery.isSlow);
    if (!delivery.enabled || isHeld || isMisplaced)
      return () => Promise.resolve(settled({ kind: 'postponed' }));
    return async (signal) => {
      const { projectId, eventId, type, data, createdAt, endpointId } = delivery;
      const event = { projectId, id: eventId, type, data, createdAt, test: false };
      const end = await this.attempts.attempt(event, { ...delivery, id: endpointId }, signal);
      switch (end.kind) {
        case 'ended': {
          const { outcome } = end;
          const { tries } = delivery;
          return settled({ kind: 'attempted', id: idAt(outcome.attemptedAt), tries, outcome });
        }
        case 'snooze':
          return { kind: 'snooze', afterMs: end.afterMs };
        case 'aborted':
          return { kind: 'retry', afterMs: 0, error: 'The attempt was interrupted by a worker shutdown.' };
      }
    };
  }

  async settle(tx: EntityManager, ended: Settled<EventAttemptEnd>[]): Promise<void> {
    await settleEvents(tx, ended);
    this.metrics.count(
      ended.flatMap(({ outcome }) => (outcome.kind === 'attempted' ? [outcome.outcome] : [])),
    );
  }

  /** The workers died during its attempts: it counts as failed, and is tried again. */
  discard(): AttemptResult<EventAttemptEnd> {
    const attemptedAt = new Date();
    const reason =
      'The service was interrupted several times while sending. The event may or may not have arrived.';
    const outcome: EndpointOutcome = {
      judgement: { outcome: 'failed', category: 'worker_lost', reason, httpStatus: null },
      health: { kind: 'untried' },
      attemptedAt,
      durationMs: 0,
      host: null,
    };
    return settled({ kind: 'attempted', id: idAt(attemptedAt), tries: 0, outcome });
  }
}

function keyOf({ endpointId, eventId }: { endpointId: string; eventId: string }): string {
  return `${endpointId} ${eventId}`;
}

function settled(outcome: EventAttemptEnd): Extract<AttemptResult<EventAttemptEnd>, { kind: 'settled' }> {
  const category =
    outcome.kind === 'attempted' && outcome.outcome.judgement.outcome === 'failed'
      ? outcome.outcome.judgement.category
      : null;
  return { kind: 'settled', outcome, healthy: isHealthy({ category }) };
}
