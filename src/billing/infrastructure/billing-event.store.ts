import { Injectable } from '@nestjs/common';
import { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { hasEnded } from '../../licensing/subscription.rows.js';
import { readEvent, type StripeEvent } from '../domain/stripe-event.js';

export const STRIPE = 'stripe' as const;
/** Events of one subscription that are read together; the newest count. */
const HISTORY_EVENTS_MAX = 500;
const ERROR_CHARACTERS_MAX = 500;

export type EventStatus = 'pending' | 'processed' | 'ignored' | 'dead';

/** An event that this worker holds a lease on. */
export interface HeldEvent {
  event: StripeEvent;
  claimId: string;
  /** Claims so far, this one included. */
  attempts: number;
}

/** What came of an event. */
export interface EventOutcome {
  status: 'processed' | 'dead';
  projectId: string | null;
  /** Null where all went well. */
  code: string | null;
  error: string | null;
}

/** A line of an operator's list. */
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

/** The statements on the inbox of events. Time is the database's alone, as in the outbox. */
@Injectable()
export class BillingEventStore {
  constructor(private readonly em: EntityManager) {}

  /** Stores an event once; returns whether it is new. */
  async receive(
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
    `.execute(this.em.fork().getKysely());
    return Number(numAffectedRows ?? 0) > 0;
  }

  /** Leases up to `limit` events, longest waiting first. A lease that ran out may be claimed again. */
  async claim(claimId: string, limit: number, leaseMs: number): Promise<HeldEvent[]> {
    const { rows } = await sql<{ payload: string; attempts: number }>`
      update billing_event e
      set claim_id = ${claimId}::uuid, attempts = e.attempts + 1,
          available_at = now() + make_interval(secs => ${leaseMs / 1000}::float8)
      from (
        select provider, event_id from billing_event
        where status = 'pending' and available_at <= now()
        order by available_at limit ${limit}::int
        for update skip locked
      ) picked
      where e.provider = picked.provider and e.event_id = picked.event_id
      returning e.payload, e.attempts
    `.execute(this.em.fork().getKysely());
    return rows.flatMap(({ payload, attempts }) => {
      const event = readEvent(JSON.parse(payload));
      return event ? [{ event, claimId, attempts }] : [];
    });
  }

  /** Writes an outcome, if the lease is still ours; returns whether it was. */
  async finish({ event, claimId }: HeldEvent, outcome: EventOutcome): Promise<boolean> {
    const { numAffectedRows } = await sql`
      update billing_event
      set status = ${outcome.status}, project_id = ${outcome.projectId}, code = ${outcome.code},
          last_error = ${outcome.error?.slice(0, ERROR_CHARACTERS_MAX) ?? null}, claim_id = null, finished_at = now()
      where provider = ${STRIPE} and event_id = ${event.id} and claim_id = ${claimId}::uuid and status = 'pending'
    `.execute(this.em.fork().getKysely());
    return Number(numAffectedRows ?? 0) > 0;
  }

  /** Gives an event back, to be claimed again after the wait. */
  async putBack(
    { event, claimId }: HeldEvent,
    { afterMs, code, error }: { afterMs: number; code: string; error: string },
  ): Promise<void> {
    await sql`
      update billing_event
      set claim_id = null, available_at = now() + make_interval(secs => ${afterMs / 1000}::float8),
          code = ${code}, last_error = ${error.slice(0, ERROR_CHARACTERS_MAX)}
      where provider = ${STRIPE} and event_id = ${event.id} and claim_id = ${claimId}::uuid and status = 'pending'
    `.execute(this.em.fork().getKysely());
  }

  /** All events of a subscription and the end of its customer, oldest first; dead ones tell facts too. */
  async history(
    em: EntityManager,
    subscriptionId: string,
    customerId: string | null = null,
  ): Promise<StripeEvent[]> {
    const { rows } = await sql<{ payload: string }>`
      select payload from billing_event
      where provider = ${STRIPE} and status <> 'ignored' and payload is not null
        and (subscription_id = ${subscriptionId} or (type = 'customer.deleted' and customer_id = ${customerId}))
      order by provider_created_at desc, event_id desc
      limit ${HISTORY_EVENTS_MAX}
    `.execute(em.getKysely());
    return rows.flatMap(({ payload }) => readEvent(JSON.parse(payload)) ?? []).toReversed();
  }

  /**
   * Drops the payloads of events that were processed before an instant; returns how many. Of a subscription that
   * runs they stay where the payloads are all there is to know it by (`keepRunning`).
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

  /** What waits and what was given up, for the metrics. */
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
   * Has finished events worked through again, as if they had just come: one by its id, or all dead ones.
   * Returns how many there are; a dry run changes none. One whose payload was dropped is past replaying.
   */
  async replay(which: { eventId: string } | 'dead', { dryRun = false } = {}): Promise<number> {
    const condition =
      which === 'dead'
        ? sql`status = 'dead'`
        : sql`event_id = ${which.eventId} and status <> 'ignored' and payload is not null`;
    const database = this.em.fork().getKysely();
    if (dryRun) {
      const { rows } = await sql<{ count: number }>`
        select count(*)::int as count from billing_event where provider = ${STRIPE} and ${condition}
      `.execute(database);
      return rows[0]?.count ?? 0;
    }
    const { numAffectedRows } = await sql`
      update billing_event
      set status = 'pending', attempts = 0, claim_id = null, available_at = now(), finished_at = null
      where provider = ${STRIPE} and ${condition}
    `.execute(database);
    return Number(numAffectedRows ?? 0);
  }
}
