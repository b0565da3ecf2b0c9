import { Injectable } from '@nestjs/common';
import { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { hasEnded } from '../../licensing/subscription.rows.js';
import type { EventKey } from '../domain/billing-message.js';
import { readEvent, type StripeEvent } from '../domain/stripe-event.js';
import { BillingEvent } from './billing.entities.js';

export const STRIPE = 'stripe' as const;
/** Code of an ignored event about a project of another cell (docs/cells.md). */
export const OTHER_CELL = 'other_cell';
/** Events of one subscription that are read together; only the newest are used. */
const HISTORY_EVENTS_MAX = 500;
const ERROR_CHARACTERS_MAX = 500;

export type EventStatus = 'pending' | 'processed' | 'ignored' | 'dead';

/** State of an event after an attempt. */
export interface EventState {
  status: EventStatus;
  attempts: number;
  projectId: string | null;
  /** Null on success. */
  code: string | null;
  error: string | null;
}

/** A row of an operator's list. */
export interface ListedEvent {
  eventId: string;
  type: string;
  status: EventStatus;
  attempts: number;
  projectId: string | null;
  subscriptionId: string | null;
  code: string | null;
  lastError: string | null;
  receivedAt: Date;
}

/** Statements on the inbox of events. The outbox schedules their processing. */
@Injectable()
export class BillingEventStore {
  constructor(private readonly em: EntityManager) {}

  /** Stores an event once, in the caller's transaction; returns whether it is new. */
  async receive(
    tx: EntityManager,
    event: StripeEvent,
    {
      payload,
      status,
      source,
      code,
    }: { payload: string; status: 'pending' | 'ignored'; source: string; code: string | null },
  ): Promise<boolean> {
    const { numAffectedRows } = await sql`
      insert into billing_event (provider, event_id, type, object_id, subscription_id, customer_id, payload,
                                 provider_created_at, source, status, code, finished_at)
      values (${STRIPE}, ${event.id}, ${event.type}, ${event.objectId}, ${event.subscriptionId},
              ${event.customerId}, ${payload}, ${event.createdAt}, ${source}, ${status}, ${code},
              case when ${status} = 'ignored' then now() end)
      on conflict (provider, event_id) do nothing
    `.execute(tx.getKysely());
    return Number(numAffectedRows ?? 0) > 0;
  }

  /** The pending and dead ones among the events, by id. */
  async open(eventIds: string[]): Promise<Map<string, StripeEvent>> {
    const { rows } = await sql<{ payload: string }>`
      select payload from billing_event
      where provider = ${STRIPE} and event_id = any(${eventIds}::text[]) and status in ('pending', 'dead')
        and payload is not null
    `.execute(this.em.fork().getKysely());
    const events = rows.flatMap(({ payload }) => readEvent(JSON.parse(payload)) ?? []);
    return new Map(events.map((event) => [event.id, event]));
  }

  /**
   * Writes the outcome of an attempt, in the transaction in which the event's message is settled, retried or
   * dead-lettered. Returns the event's type; null: the event is deleted or already processed.
   */
  async write(tx: EntityManager, eventId: string, state: EventState): Promise<string | null> {
    const { status, attempts, projectId, code, error } = state;
    const { rows } = await sql<{ type: string }>`
      update billing_event
      set status = ${status}, attempts = ${attempts}, project_id = coalesce(${projectId}::uuid, project_id),
          code = ${code}, last_error = ${error?.slice(0, ERROR_CHARACTERS_MAX) ?? null},
          finished_at = case when ${status} = 'pending' then null else now() end
      where provider = ${STRIPE} and event_id = ${eventId} and status in ('pending', 'dead')
      returning type
    `.execute(tx.getKysely());
    return rows[0]?.type ?? null;
  }

  /** Whether an event of the subscription was ever processed for a project of this service. */
  async wasWritten(subscriptionId: string): Promise<boolean> {
    const { rows } = await sql`
      select from billing_event
      where provider = ${STRIPE} and subscription_id = ${subscriptionId} and status = 'processed'
        and project_id is not null
      limit 1
    `.execute(this.em.fork().getKysely());
    return rows.length > 0;
  }

  /** Marks dead events as pending again after an operator has requeued their messages. */
  async revive(tx: EntityManager, eventIds: string[]): Promise<void> {
    const dead = { provider: STRIPE, eventId: { $in: eventIds }, status: 'dead' as const };
    await tx.nativeUpdate(BillingEvent, dead, { status: 'pending', attempts: 0, finishedAt: null });
  }

  /**
   * All events of a subscription and its customer's deletion, oldest first. Dead events count too, and those
   * of other cells: one of them may name the project.
   */
  async history(
    em: EntityManager,
    subscriptionId: string,
    customerId: string | null = null,
  ): Promise<StripeEvent[]> {
    const { rows } = await sql<{ payload: string }>`
      select payload from billing_event
      where provider = ${STRIPE} and (status <> 'ignored' or code = ${OTHER_CELL}) and payload is not null
        and (subscription_id = ${subscriptionId} or (type = 'customer.deleted' and customer_id = ${customerId}))
      order by provider_created_at desc, event_id desc
      limit ${HISTORY_EVENTS_MAX}
    `.execute(em.getKysely());
    return rows.flatMap(({ payload }) => readEvent(JSON.parse(payload)) ?? []).toReversed();
  }

  /**
   * Deletes the payloads of events that were processed before an instant; returns their number. With
   * `keepRunning`, payloads of running subscriptions are kept, because they are the only source.
   */
  async dropPayloads(before: Date, { keepRunning }: { keepRunning: boolean }): Promise<number> {
    const { numAffectedRows } = await sql`
      update billing_event e set payload = null
      where status = 'processed' and finished_at < ${before} and payload is not null
        and not (${keepRunning} and e.subscription_id is not null
                 and not ${hasEnded('e.provider', 'e.subscription_id')})
    `.execute(this.em.fork().getKysely());
    return Number(numAffectedRows ?? 0);
  }

  /** Pending and dead events, for the metrics. */
  async backlog(): Promise<{ pending: number; oldestAgeSeconds: number; dead: number }> {
    const { rows } = await sql<{ pending: number; oldestAgeSeconds: number; dead: number }>`
      select count(*)::int as pending,
             coalesce(extract(epoch from now() - min(received_at)), 0)::float8 as "oldestAgeSeconds",
             (select count(*)::int from billing_event where status = 'dead') as dead
      from billing_event where status = 'pending'
    `.execute(this.em.fork().getKysely());
    return rows[0] ?? { pending: 0, oldestAgeSeconds: 0, dead: 0 };
  }

  /** The newest events of a status, for an operator. */
  async list(status: EventStatus, limit: number): Promise<ListedEvent[]> {
    const { rows } = await sql<ListedEvent>`
      select event_id as "eventId", type, status, attempts, project_id as "projectId",
             subscription_id as "subscriptionId", code, last_error as "lastError", received_at as "receivedAt"
      from billing_event where status = ${status} order by received_at desc limit ${limit}::int
    `.execute(this.em.fork().getKysely());
    return rows;
  }

  /**
   * Marks a finished event as pending again, in the caller's transaction, which appends its message. Returns
   * the key of the message; null: there is no such event, it was ignored, or its payload was deleted.
   */
  async reopen(tx: EntityManager, eventId: string): Promise<EventKey | null> {
    const { rows } = await sql<EventKey>`
      update billing_event set status = 'pending', attempts = 0, finished_at = null
      where provider = ${STRIPE} and event_id = ${eventId} and status <> 'ignored' and payload is not null
      returning event_id as id, subscription_id as "subscriptionId", customer_id as "customerId"
    `.execute(tx.getKysely());
    return rows[0] ?? null;
  }
}
