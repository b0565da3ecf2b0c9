import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { DomainError, fieldErrors, tooManyRequests } from '../../../platform/errors/domain-error.js';
import { idAt, isUuid, newId } from '../../../platform/identity/ids.js';
import { RateLimiter } from '../../../platform/limits/rate-limiter.js';
import { OutboxService } from '../../../platform/outbox/outbox.service.js';
import { writeAudit } from '../../audit/audit.log.js';
import type { AuditAction } from '../../audit/domain/audit-event.js';
import type { Author } from '../../audit/domain/author.js';
import { type EventTypeName, exampleData } from '../domain/catalogue.js';
import { type EventBody, type ProjectEvent, RECOVER_DAYS_MAX } from '../domain/event.js';
import type { AttemptOutcome } from '../domain/event-endpoint.js';
import {
  type AttemptRow,
  type DeliveryRef,
  hasDelivery,
  insertOwnDelivery,
  listAttempts,
  readAttemptBody,
  requeue,
  requeueSince,
  skipDelivery,
  writeAttempt,
} from '../infrastructure/delivery.rows.js';
import type { EndpointRef, EndpointRow } from '../infrastructure/endpoint.rows.js';
import { EventEndpoint } from '../infrastructure/event.entities.js';
import {
  deliveriesOfEvent,
  type EventDeliveryRow,
  type EventFilter,
  findEvent,
  insertTestEvent,
  listEvents,
} from '../infrastructure/event.rows.js';
import { lockEndpoint, PROBED_NOW, requireEndpoint } from './endpoint.service.js';
import { EventAttempts } from './event-attempts.js';
import { EventWaits } from './event-waits.js';
import { newAttempt } from './settle-events.js';

const DAY_MS = 24 * 60 * 60_000;
/** Events that one recovery queues. */
const RECOVER_EVENTS_MAX = 10_000;
/** Tests of one endpoint a minute, in this process. */
const EVENT_TESTS_PER_MINUTE = 10;
/** Triggered events of one project a minute, in this process. */
const EVENT_TRIGGERS_PER_MINUTE = 60;
const MINUTE_MS = 60_000;
const ENDPOINTS_MAX = 10_000;
const PROJECTS_MAX = 10_000;

/** An event in the API. */
export interface EventView extends EventBody {
  id: string;
  test: boolean;
}

/** The result of a test. */
export interface EventTestResult {
  eventId: string;
  delivered: boolean;
  httpStatus: number | null;
  category: string | null;
  reason: string | null;
  durationMs: number;
}

/** Reads events and the log of their deliveries, and creates events for tests. */
@Injectable()
export class EventLogService {
  private readonly triggers = new RateLimiter({
    points: EVENT_TRIGGERS_PER_MINUTE,
    windowMs: MINUTE_MS,
    keysMax: PROJECTS_MAX,
  });

  constructor(
    private readonly em: EntityManager,
    private readonly attempts: EventAttempts,
    private readonly waits: EventWaits,
  ) {}

  /** At most `limit` events, newest first. */
  async list(
    projectId: string,
    filter: EventFilter & { after: string | null; limit: number },
  ): Promise<EventView[]> {
    const events = await listEvents(this.em.fork(), projectId, filter);
    return events.map((event) => this.viewOf(event));
  }

  /** At most `limit` events after an event, oldest first; waits for one as `EventWaits.read`, with its errors. */
  async listAfter(...request: Parameters<EventWaits['read']>): Promise<EventView[]> {
    const events = await this.waits.read(...request);
    return events.map((event) => this.viewOf(event));
  }

  /**
   * Creates the example of a type as an event of the project, marked as a test. No endpoint gets it.
   *
   * @throws DomainError `too_many_requests` (429).
   */
  async trigger(projectId: string, type: EventTypeName): Promise<EventView> {
    const waitMs = this.triggers.consume(projectId, performance.now());
    if (waitMs > 0) throw tooManyRequests('Too many triggered events. Wait a moment.', waitMs);
    const data = exampleData(type, projectId);
    const event = { projectId, id: newId(), type, data, createdAt: new Date(), test: true };
    await insertTestEvent(this.em.fork(), event);
    return this.viewOf(event);
  }

  /** An event, and where its deliveries are. @throws DomainError `event_not_found`. */
  async read(ref: {
    projectId: string;
    id: string;
  }): Promise<EventView & { deliveries: EventDeliveryRow[] }> {
    const em = this.em.fork();
    const event = await requireEvent(em, ref);
    return { ...this.viewOf(event), deliveries: await deliveriesOfEvent(em, ref) };
  }

  /** At most `limit` lines of an endpoint's log, newest first. @throws DomainError `event_endpoint_not_found`. */
  async deliveries(
    ref: EndpointRef,
    filter: {
      outcome?: AttemptOutcome | undefined;
      eventId?: string | undefined;
      after: string | null;
      limit: number;
    },
  ): Promise<AttemptRow[]> {
    const em = this.em.fork();
    await requireEndpoint(em, ref);
    return listAttempts(em, ref, filter);
  }

  /** @throws DomainError `delivery_not_found`, `event_endpoint_not_found`. */
  async responseBody(ref: EndpointRef, attemptId: string): Promise<string | null> {
    const em = this.em.fork();
    await requireEndpoint(em, ref);
    const body = isUuid(attemptId) ? await readAttemptBody(em, ref, attemptId) : undefined;
    if (body !== undefined) return body;
    throw new DomainError('delivery_not_found', 'Delivery not found for this endpoint.');
  }

  private viewOf(event: ProjectEvent): EventView {
    return { id: event.id, ...this.attempts.bodyOf(event), test: event.test };
  }
}

/** Resends, skips, recovers and tests deliveries, and ends holds. */
@Injectable()
export class EndpointActions {
  private readonly limiter = new RateLimiter({
    points: EVENT_TESTS_PER_MINUTE,
    windowMs: MINUTE_MS,
    keysMax: ENDPOINTS_MAX,
  });

  constructor(
    private readonly em: EntityManager,
    private readonly outbox: OutboxService,
    private readonly attempts: EventAttempts,
  ) {}

  /**
   * Queues the delivery of one event again; 0 if it is pending: then it is only made due.
   * @throws DomainError `event_endpoint_not_found`, `event_not_found`, `event_endpoint_disabled` (409).
   */
  async resend(ref: EndpointRef, eventId: string, author: Author): Promise<number> {
    return this.change(ref, { author, action: 'event_delivery.resend' }, async (tx, endpoint) => {
      requireEnabled(endpoint);
      const delivery = await requireDelivery(tx, endpoint, eventId);
      const queued = (await requeue(tx, delivery)) ? 1 : 0;
      return { result: queued, after: { eventId: delivery.eventId } };
    });
  }

  /**
   * Skips the pending delivery of an event; 0 if it was not.
   * @throws DomainError `event_endpoint_not_found`, `event_not_found`.
   */
  async skip(ref: EndpointRef, eventId: string, author: Author): Promise<number> {
    return this.change(ref, { author, action: 'event_delivery.skip' }, async (tx, endpoint) => {
      const delivery = await requireDelivery(tx, endpoint, eventId);
      const skipped = (await skipDelivery(tx, delivery)) ? 1 : 0;
      return { result: skipped, after: skipped > 0 ? { eventId: delivery.eventId } : null };
    });
  }

  /**
   * Queues the events since an instant that the endpoint lists and did not get: failed ones, and those written while
   * it was disabled. Skipped ones stay skipped.
   *
   * @throws DomainError `validation_failed` (422) for `since`, `event_endpoint_not_found`, `event_endpoint_disabled`.
   */
  async recover(
    ref: EndpointRef,
    { since, now }: { since: Date; now: Date },
    author: Author,
  ): Promise<{ queued: number; more: boolean }> {
    if (since > now || now.getTime() - since.getTime() > RECOVER_DAYS_MAX * DAY_MS)
      throw fieldErrors([
        {
          field: 'since',
          message: `since must be within the last ${RECOVER_DAYS_MAX} days.`,
          code: 'instant',
        },
      ]);
    return this.change(ref, { author, action: 'event_delivery.recover' }, async (tx, endpoint) => {
      requireEnabled(endpoint);
      const queued = await requeueSince(tx, ref, { since, limit: RECOVER_EVENTS_MAX });
      return {
        result: { queued, more: queued === RECOVER_EVENTS_MAX },
        after: queued > 0 ? { since, queued } : null,
      };
    });
  }

  /** Sends the next probe of a held endpoint now; does nothing for others. @throws DomainError as `skip`. */
  async resume(ref: EndpointRef, author: Author): Promise<void> {
    await this.change(ref, { author, action: 'event_endpoint.resume' }, (_, endpoint) =>
      Promise.resolve({ result: null, after: endpoint.enabled && endpoint.phase !== 'closed' ? {} : null }),
    );
  }

  /**
   * Sends a `test.ping` now, also to a disabled or held endpoint, and logs it. It is not repeated. A success probes a
   * held endpoint.
   *
   * @throws DomainError `event_endpoint_not_found`, `too_many_requests` (429).
   */
  async test(ref: EndpointRef): Promise<EventTestResult> {
    const endpoint = await requireEndpoint(this.em.fork(), ref);
    const waitMs = this.limiter.consume(endpoint.id, performance.now());
    if (waitMs > 0) throw tooManyRequests('Too many endpoint tests. Wait a moment.', waitMs);
    const { projectId, id: endpointId } = endpoint;
    const event = {
      projectId,
      id: newId(),
      type: 'test.ping' as const,
      data: { id: endpointId },
      createdAt: new Date(),
      test: false,
    };
    const end = await this.attempts.attempt(event, endpoint);
    if (end.kind === 'aborted')
      throw new DomainError('temporarily_unavailable', 'The service is shutting down. Test again shortly.');
    if (end.kind === 'snooze') throw tooManyRequests(HOST_LIMITED, end.afterMs);
    const { outcome } = end;
    const delivery = { projectId, endpointId, eventId: event.id };
    const attempt = newAttempt(delivery, idAt(outcome.attemptedAt), outcome);
    const delivered = attempt.outcome === 'delivered';
    await this.em.fork().transactional(async (tx) => {
      await lockEndpoint(tx, ref);
      await insertTestEvent(tx, event);
      await insertOwnDelivery(tx, delivery);
      await writeAttempt(tx, attempt, { retryAfterMs: null, counts: false });
      const success = { lastDeliveredAt: attempt.attemptedAt, unsuccessfulSince: null, mailedDay: 0 };
      if (delivered) await tx.nativeUpdate(EventEndpoint, ref, { ...success, ...PROBED_NOW(new Date()) });
    });
    const { httpStatus, category, reason, durationMs } = attempt;
    return { eventId: event.id, delivered, httpStatus, category, reason, durationMs };
  }

  /** A change of deliveries under the endpoint's lock. Without `after`, nothing changed, and the audit gets no event. */
  private async change<Result>(
    ref: EndpointRef,
    { author, action }: { author: Author; action: AuditAction },
    make: (
      tx: EntityManager,
      endpoint: EndpointRow,
    ) => Promise<{ result: Result; after: Record<string, unknown> | null }>,
  ): Promise<Result> {
    return this.em.fork().transactional(async (tx) => {
      const endpoint = await lockEndpoint(tx, ref);
      const { result, after } = await make(tx, endpoint);
      if (after === null) return result;
      await tx.nativeUpdate(EventEndpoint, ref, PROBED_NOW(new Date()));
      const { projectId, id: target } = ref;
      await writeAudit(tx, author, { projectId, action, target, after });
      this.outbox.notifyAfterCommit(tx);
      return result;
    });
  }
}

const HOST_LIMITED =
  "Attempts on the endpoint's host or address have failed for some time. Test again later.";

function requireEnabled({ enabled }: EndpointRow): void {
  if (!enabled)
    throw new DomainError('event_endpoint_disabled', 'The event endpoint is disabled. Enable it first.');
}

async function requireEvent(
  em: EntityManager,
  ref: { projectId: string; id: string },
): Promise<ProjectEvent> {
  const event = isUuid(ref.id) ? await findEvent(em, ref) : null;
  if (event) return event;
  throw new DomainError('event_not_found', 'Event not found in this project.');
}

/** The delivery of an event that the endpoint got or lists. @throws DomainError `event_not_found`. */
async function requireDelivery(
  em: EntityManager,
  { projectId, id: endpointId, eventTypes }: EndpointRow,
  eventId: string,
): Promise<DeliveryRef> {
  const event = await requireEvent(em, { projectId, id: eventId });
  const delivery = { projectId, endpointId, eventId: event.id };
  const isListed = eventTypes.includes(event.type) && !event.test;
  if (isListed || (await hasDelivery(em, delivery))) return delivery;
  throw new DomainError('event_not_found', 'The endpoint does not list the type of this event.');
}
