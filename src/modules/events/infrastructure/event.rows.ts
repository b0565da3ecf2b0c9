import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { appendMessagesSql } from '../../../platform/outbox/outbox.sql.js';
import { joinProject } from '../../projects/project.rows.js';
import type { EventTypeName } from '../domain/catalogue.js';
import type { ProjectEvent } from '../domain/event.js';
import type { EventDeliveryState } from '../domain/event-endpoint.js';
import { EVENT_DUE } from '../events.topics.js';
import { IS_WORKING } from './endpoint.rows.js';

const COLUMNS = sql`c.project_id as "projectId", c.id, c.type, c.data, c.created_at as "createdAt", c.test`;

/**
 * Writes events, and a pending delivery for each enabled endpoint that lists the type. Deliveries to working endpoints
 * get their outbox message at once. The others wait for the scheduler, which keeps few of them in the outbox: claims
 * of consent records step over each endpoint with messages.
 */
export async function insertEvents(
  tx: EntityManager,
  projectId: string,
  events: readonly Pick<ProjectEvent, 'id' | 'type' | 'data'>[],
): Promise<void> {
  const types = [...new Set(events.map(({ type }) => type))];
  const messages = appendMessagesSql({
    orderingKey: sql`q.endpoint_id`,
    projectId: sql`q.project_id`,
    subjectId: sql`q.event_id`,
    topic: EVENT_DUE,
    from: sql`queued q where q.queued_at is not null`,
  });
  await sql`
    with written as (
      insert into event (project_id, id, type, data)
      select p.id, given.id, given.type, given.data::jsonb
      from unnest(
        ${events.map(({ id }) => id)}::uuid[], ${events.map(({ type }) => type)}::text[],
        ${events.map(({ data }) => JSON.stringify(data))}::text[]
      ) as given (id, type, data) ${joinProject(sql`${projectId}::uuid`)}
      returning project_id, id, type
    ), queued as (
      insert into event_delivery (project_id, endpoint_id, event_id, state, due_at, queued_at)
      select w.project_id, e.id, w.id, 'pending', now(), case when ${IS_WORKING} then now() end
      from written w join event_endpoint e on e.project_id = w.project_id
      where e.enabled and w.type = any(e.event_types)
      returning project_id, endpoint_id, event_id, queued_at
    ), waking as (
      -- In the order of ids, like every lock of several endpoints.
      select e.project_id, e.id from event_endpoint e
      where e.project_id = ${projectId} and e.enabled and e.wake_at is null and not ${IS_WORKING}
        and e.event_types && ${types}::text[]
      order by e.id for no key update
    ), woken as (
      update event_endpoint e set wake_at = now() from waking w where e.project_id = w.project_id and e.id = w.id
    )
    ${messages}
  `.execute(tx.getKysely());
}

/** Writes an event without deliveries: the caller delivers it, or nobody does. */
export async function insertTestEvent(tx: EntityManager, event: ProjectEvent): Promise<void> {
  await sql`
    insert into event (project_id, id, type, data, created_at, test)
    values (${event.projectId}, ${event.id}, ${event.type}, ${JSON.stringify(event.data)}::jsonb, ${event.createdAt},
            ${event.test})
  `.execute(tx.getKysely());
}

/** Filters events; absent members match all. `from` is inclusive, `to` exclusive, by the time of the event. */
export interface EventFilter {
  type?: EventTypeName | undefined;
  from?: Date | undefined;
  to?: Date | undefined;
}

/** At most `limit` events of a project, newest first, after the id `after`, if given. */
export async function listEvents(
  em: EntityManager,
  projectId: string,
  { type, from, to, after, limit }: EventFilter & { after: string | null; limit: number },
): Promise<ProjectEvent[]> {
  const conditions = [sql`c.project_id = ${projectId}`, sql`not c.test`];
  if (type !== undefined) conditions.push(sql`c.type = ${type}`);
  if (from) conditions.push(sql`c.created_at >= ${from}`);
  if (to) conditions.push(sql`c.created_at < ${to}`);
  if (after !== null) conditions.push(sql`c.id < ${after}::uuid`);
  const { rows } = await sql<ProjectEvent>`
    select ${COLUMNS} from event c where ${sql.join(conditions, sql` and `)} order by c.id desc limit ${limit}
  `.execute(em.getKysely());
  return rows;
}

/** A place in a project's events, in the order of their ids. */
export interface EventPosition {
  projectId: string;
  /** Events with later ids. */
  after: string;
  /** Events with earlier ids: later ones may still be overtaken. */
  before: string;
  type: EventTypeName | null;
  /** Whether events of triggers count. */
  test: boolean;
}

/** At most `limit` events between two ids, oldest first. */
export async function listEventsAfter(
  em: EntityManager,
  { projectId, after, before, type, test }: EventPosition,
  limit: number,
): Promise<ProjectEvent[]> {
  const { rows } = await sql<ProjectEvent>`
    select ${COLUMNS} from event c
    where c.project_id = ${projectId} and c.id > ${after}::uuid and c.id < ${before}::uuid
      and (${type}::text is null or c.type = ${type}) and (${test} or not c.test)
    order by c.id limit ${limit}
  `.execute(em.getKysely());
  return rows;
}

/** The indexes of the positions that have an event. */
export async function findWithEvents(
  em: EntityManager,
  positions: readonly EventPosition[],
): Promise<number[]> {
  const { rows } = await sql<{ index: number }>`
    select (p.index - 1)::int as index
    from unnest(
      ${positions.map(({ projectId }) => projectId)}::uuid[], ${positions.map(({ after }) => after)}::uuid[],
      ${positions.map(({ before }) => before)}::uuid[], ${positions.map(({ type }) => type)}::text[],
      ${positions.map(({ test }) => test)}::boolean[]
    ) with ordinality as p (project_id, after, before, type, test, index)
    where exists (
      select from event e
      where e.project_id = p.project_id and e.id > p.after and e.id < p.before
        and (p.type is null or e.type = p.type) and (p.test or not e.test)
    )
  `.execute(em.getKysely());
  return rows.map(({ index }) => index);
}

export async function findEvent(
  em: EntityManager,
  { projectId, id }: { projectId: string; id: string },
): Promise<ProjectEvent | null> {
  const { rows } = await sql<ProjectEvent>`
    select ${COLUMNS} from event c where c.project_id = ${projectId} and c.id = ${id}
  `.execute(em.getKysely());
  return rows[0] ?? null;
}

/** Where the deliveries of an event are. */
export interface EventDeliveryRow {
  endpointId: string;
  state: EventDeliveryState;
  attempts: number;
  nextAttemptAt: Date | null;
}

export async function deliveriesOfEvent(
  em: EntityManager,
  { projectId, id }: { projectId: string; id: string },
): Promise<EventDeliveryRow[]> {
  const { rows } = await sql<EventDeliveryRow>`
    select d.endpoint_id as "endpointId", d.state, d.attempts, d.due_at as "nextAttemptAt"
    from event_delivery d where d.project_id = ${projectId} and d.event_id = ${id} order by d.endpoint_id
  `.execute(em.getKysely());
  return rows;
}

/** Deletes at most `limit` events from before an instant, with their deliveries. Returns how many. */
export async function deleteEventsBefore(
  tx: EntityManager,
  { before, limit }: { before: Date; limit: number },
): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from event e using (
      select project_id, id from event where created_at < ${before} order by created_at limit ${limit}
      for update skip locked
    ) old
    where e.project_id = old.project_id and e.id = old.id
  `.execute(tx.getKysely());
  return Number(numAffectedRows ?? 0);
}
