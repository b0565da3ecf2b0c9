import { type RawBuilder, sql } from 'kysely';
import { uuidLowerBound } from '../../../platform/identity/ids.js';

/** Half hours of a day. */
export const SLOTS = 48;
export const SLOT_MS = 30 * 60 * 1000;
/** Attempts of each outcome that are read per slot, newest first. */
const SLOT_ATTEMPTS_MAX = 500;
/** Attempts of each outcome that are read per day, newest first. */
const DAY_ATTEMPTS_MAX = 20_000;
/** Attempts whose response times are read, newest first. */
const TIMED_ATTEMPTS_MAX = 1_000;

export interface ActivitySlot {
  /** Start of the slot. */
  at: Date;
  delivered: number;
  failed: number;
}

/**
 * A row for each slot, in order, with its attempts; without failures of records that had been
 * delivered before.
 */
export function activitySlots(projectId: string, starts: readonly Date[]): RawBuilder<ActivitySlot> {
  const ends = starts.map((at) => new Date(at.getTime() + SLOT_MS));
  const [first = new Date()] = starts;
  const attempts = (outcomes: RawBuilder<unknown>): RawBuilder<unknown> => sql`
    select d.outcome, d.superseded from delivery d
    where d.project_id = ${projectId} and ${outcomes} and d.id >= s.first and d.id < s.beyond
      -- Redundant, but lets PostgreSQL leave out the older partitions when it plans.
      and d.id >= ${uuidLowerBound(first)}::uuid
    order by d.id desc limit ${SLOT_ATTEMPTS_MAX}`;
  return sql<ActivitySlot>`
    select s.at,
           (select count(*) from (${attempts(SETTLED)}) n where n.outcome = 'delivered')::float8 as delivered,
           (select count(*) from (${attempts(FAILED)}) n where not n.superseded)::float8 as failed
    from unnest(
      ${starts}::timestamptz[], ${starts.map(uuidLowerBound)}::uuid[], ${ends.map(uuidLowerBound)}::uuid[]
    ) with ordinality as s (at, first, beyond, position)
    order by s.position
  `;
}

export interface DeliveriesSince {
  /** Records with a delivered attempt. */
  delivered: number;
  /** Records with failed attempts and no delivered one. */
  failed: number;
  /** Whether there are older attempts that were not read. */
  more: boolean;
}

/** The records attempted since then. */
export function deliveriesSince(projectId: string, since: Date): RawBuilder<DeliveriesSince> {
  const attempts = (outcomes: RawBuilder<unknown>): RawBuilder<unknown> => sql`
    select d.consent_id, d.outcome, d.superseded from delivery d
    where d.project_id = ${projectId} and ${outcomes} and d.id >= ${uuidLowerBound(since)}::uuid
    order by d.id desc limit ${DAY_ATTEMPTS_MAX + 1}`;
  return sql<DeliveriesSince>`
    with settled as materialized (${attempts(SETTLED)}),
    failed as materialized (${attempts(FAILED)}),
    delivered as materialized (select distinct consent_id from settled where outcome = 'delivered')
    select (select count(*) from delivered)::float8 as delivered,
           (
             select count(distinct f.consent_id) from failed f left join delivered d using (consent_id)
             where not f.superseded and d.consent_id is null
           )::float8 as failed,
           greatest((select count(*) from settled), (select count(*) from failed)) > ${DAY_ATTEMPTS_MAX} as more
  `;
}

export interface ResponseTime {
  /** null: nothing was delivered. */
  p50Ms: number | null;
  p99Ms: number | null;
}

/** Response times of the newest deliveries since then. */
export function responseTimes(projectId: string, since: Date): RawBuilder<ResponseTime> {
  return sql<ResponseTime>`
    select round(percentile_cont(0.5) within group (order by duration_ms))::float8 as "p50Ms",
           round(percentile_cont(0.99) within group (order by duration_ms))::float8 as "p99Ms"
    from (
      select d.outcome, d.duration_ms from delivery d
      where d.project_id = ${projectId} and ${SETTLED} and d.id >= ${uuidLowerBound(since)}::uuid
      order by d.id desc limit ${TIMED_ATTEMPTS_MAX}
    ) newest
    where outcome = 'delivered'
  `;
}

// One branch for each of the two outcome partitions, so that the limit drops the oldest rows of
// each.
const SETTLED = sql`d.outcome in ('delivered', 'skipped')`;
const FAILED = sql`d.outcome = 'failed'`;
