import { partitionTable } from '../domain/partition-rotation.js';
import { OPEN_PART } from '../outbox.sql.js';

/** Ordering keys that one claim visits; each costs one step in the primary key. */
export const CLAIM_KEYS_MAX = 256;

/**
 * The claim statement of one partition. Parameters: after which key, topics, free by key (and, by
 * topic, messages per key), limit per key, limit, claim id, lease in seconds, limited topics, and
 * the capacity of each.
 *
 * Of limited topics it leases no more than their capacity: first one message of each key, and keys
 * in random order, because in walk order the lowest keys would always win.
 *
 * It updates picked rows by ctid: a join by key read the whole table for each row under a cached
 * plan made while the outbox was empty (8.0 s against 7 ms for 256 of 50,000). It reads the
 * partition itself, because physical locations are those of one table.
 *
 * The walk notes the first message of each key: the entries of settled messages before it may be
 * unremovable, and skipping them takes time. The walk ends once the claim is full, and then returns
 * nothing about the remaining keys: walking the other 36 of 100 took a tenth of the time.
 *
 * `throttledTopics` are the topics that may have throttles. With null the statement claims only if
 * no throttle exists, and reports that. Usually none exists, and the parts for throttles cost a
 * small claim a quarter of its time (0.83 ms of CPU against 0.68). For a throttled key nothing of
 * these topics is read before it is due, with any backlog; a partial index finds its messages of
 * other topics. One throttle per key covers all these topics: with one per topic, the others would
 * wait for the next message of that topic. The claim locks a due throttle and postpones it in the
 * same statement, so only one worker takes its batch.
 */
export function claimStatement(part: number, throttledTopics: readonly string[] | null): string {
  const table = partitionTable(part);
  const free = (key: string): string => `coalesce(($3::jsonb ->> ${key}::text)::int, $4::int)`;
  const oldest = `
    select oldest.place, oldest.topic, oldest.id, walk.ordering_key
    from walk
    cross join lateral (
      select m.ctid as place, m.topic, m.id from ${table} m
      where m.ordering_key = walk.ordering_key and m.id >= walk.first_id
        and m.available_at <= now() and m.topic = any($2::text[])
      order by m.id
      limit ${free('walk.ordering_key')}
      for update skip locked
    ) oldest`;
  const picked =
    throttledTopics === null
      ? `picked as (${oldest} where not exists (select from claim_throttle) limit $5::int)`
      : pickedWithThrottles({ table, oldest, free, throttledTopics });
  const advanced = `
    advanced as (
      update claim_throttle g
      set next_claim_at = now() + make_interval(secs => $7::float8), probe_number = g.probe_number + 1
      where (g.ordering_key, g.topic) in (select ordering_key, throttle from allowed)
      returning g.ordering_key, g.topic, g.probe_number
    )`;
  return `
    with recursive walk (ordering_key, first_id, step) as (
      (
        select m.ordering_key, m.id, 1 from ${table} m
        where m.ordering_key > $1::uuid order by m.ordering_key, m.id limit 1
      )
      union all
      select next.ordering_key, next.id, walk.step + 1
      from walk cross join lateral (
        select m.ordering_key, m.id from ${table} m
        where m.ordering_key > walk.ordering_key order by m.ordering_key, m.id limit 1
      ) next
      where walk.step < ${CLAIM_KEYS_MAX}
    ), ${picked}, taken as (
      select place from picked where topic <> all($8::text[])
      union all
      select within.place
      from unnest($8::text[], $9::int[]) as bound (topic, free)
      cross join lateral (
        select ranked.place
        from (
          select place, row_number() over (partition by ordering_key order by id) as turn
          from picked where picked.topic = bound.topic
        ) ranked
        where ranked.turn <= coalesce(($3::jsonb ->> bound.topic)::int, bound.free)
        order by ranked.turn, random()
        limit bound.free
      ) within
    ), claimed as (
      update ${table} m
      set claim_id = $6::uuid, available_at = now() + make_interval(secs => $7::float8),
          abandoned_attempts = m.abandoned_attempts + 1
      where m.ctid = any (array(select place from taken))
      returning m.ordering_key as "orderingKey", m.project_id as "projectId", m.id, m.topic,
                m.subject_id as "subjectId", m.payload, m.abandoned_attempts - 1 as "abandonedAttempts", m.failures,
                m.created_at as "createdAt"
    )${throttledTopics === null ? '' : `, ${advanced}`}
    select claimed.*, ${throttledTopics === null ? 'null::int' : 'advanced.probe_number'} as "probeNumber", null::json as walk
    from claimed
    ${throttledTopics === null ? '' : `left join advanced on advanced.ordering_key = claimed."orderingKey" and ${isThrottled(throttledTopics, 'claimed.topic')}`}
    union all
    select null, null, null, null, null, null, null, null, null, null,
           json_build_object('lastKey', w."lastKey", 'walked', w.walked, 'lastPicked', p."lastPicked", 'picked', p.picked,
             'openPart', ${OPEN_PART}, 'hasThrottles', ${throttledTopics === null ? 'p.picked = 0 and ' : ''}exists (select from claim_throttle))
    from (select max(ordering_key::text) as "lastPicked", count(*)::int as picked from picked) p
    cross join lateral (
      select max(ordering_key::text) as "lastKey", count(*)::int as walked from walk where p.picked < $5::int
    ) w
  `;
}

/** Whether a topic may have throttles. */
function isThrottled(throttledTopics: readonly string[], topic: string): string {
  return throttledTopics.length === 0
    ? 'false'
    : `${topic} in (${throttledTopics.map((throttled) => `'${throttled}'`).join()})`;
}

/** Due messages of throttled keys, then keys without throttles, then other topics of throttled keys. */
function pickedWithThrottles({
  table,
  oldest,
  free,
  throttledTopics,
}: {
  table: string;
  oldest: string;
  free: (key: string) => string;
  throttledTopics: readonly string[];
}): string {
  const besideThrottled = throttledTopics.map((topic) => `m.topic <> '${topic}'`).join(' and ') || 'false';
  return `
    throttled as materialized (
      select walk.ordering_key, walk.first_id, throttle.topic, throttle.is_due
      from walk
      cross join lateral (
        select g.topic, g.next_claim_at <= now() as is_due from claim_throttle g
        where g.ordering_key = walk.ordering_key limit 1
      ) throttle
      where exists (select from claim_throttle)
    ), allowed as materialized (
      select oldest.place, oldest.topic, oldest.id, throttled.ordering_key, throttled.topic as throttle
      from throttled
      cross join lateral (
        select g.batch_limit from claim_throttle g
        where g.ordering_key = throttled.ordering_key and g.topic = throttled.topic and g.next_claim_at <= now()
        for update skip locked
      ) throttle
      cross join lateral (
        select m.ctid as place, m.topic, m.id from ${table} m
        where m.ordering_key = throttled.ordering_key
          and m.id >= throttled.first_id and m.available_at <= now() and m.topic = any($2::text[])
          and ${isThrottled(throttledTopics, 'm.topic')}
        order by m.id
        limit least(throttle.batch_limit, ${free('throttled.ordering_key')})
        for update skip locked
      ) oldest
      where throttled.is_due and throttled.topic = any($2::text[])
      limit $5::int
    ), picked as (
      select place, topic, id, ordering_key from allowed
      union all
      select * from (
        ${oldest}
        where walk.ordering_key not in (select ordering_key from throttled)
        limit $5::int - (select count(*) from allowed)
      ) unthrottled
      union all
      select * from (
        select oldest.place, oldest.topic, oldest.id, throttled.ordering_key
        from throttled
        cross join lateral (
          select m.ctid as place, m.topic, m.id from ${table} m
          where m.ordering_key = throttled.ordering_key
          and m.id >= throttled.first_id and m.available_at <= now() and m.topic = any($2::text[])
            and ${besideThrottled}
          order by m.id
          limit ${free('throttled.ordering_key')}
          for update skip locked
        ) oldest
        limit $5::int - (select count(*) from allowed)
      ) beside
    )`;
}
