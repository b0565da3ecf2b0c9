/** Ordering keys that one claim looks at; each costs one step in the primary key. */
export const CLAIM_KEYS_MAX = 256;

/**
 * What a claim asks. Parameters: after which key, topics, free by key (and, by topic, how many messages of one key),
 * limit per key, limit, claim id, lease in seconds, topics with a limit, and what is free of each. Of those topics no more is leased than
 * that, however many were picked: first one of each key, and the keys drawn by lot. In the order of the walk, the lowest
 * keys would always come first. The rows picked are locked, so they are updated by their place: joined by their key, a plan made while the
 * outbox was empty, and kept, read all of it for each of them (8.0 s against 7 ms for 256 of 50,000).
 *
 * The server walks as far as somebody asks. A claim that got its fill tells nothing of the keys behind: to walk the other
 * 36 of 100 took a tenth of its time.
 *
 * `gatedTopics` are those that may have throttles. With null it claims only where no throttle stands at all, and says so: most of the time there is none, and the
 * parts that look after throttles cost a small claim a quarter of its time even then (0.83 ms of processor against 0.68).
 *
 * Of a key with a throttle nothing of the topics that may have throttles is read before it opens, however much waits behind it,
 * and what else has the key is found by an index of its own. A key has one throttle, which lets all of those topics through:
 * would it let through its own alone, the others would wait until something of that one comes. A throttle that opens is
 * locked by the worker that takes what it lets through and shut in the same statement, so no two workers do.
 */
export function claimStatement(throttledTopics: readonly string[] | null): string {
  const free = (key: string): string => `coalesce(($3::jsonb ->> ${key}::text)::int, $4::int)`;
  const oldest = `
    select oldest.place, oldest.topic, oldest.id, walk.ordering_key
    from walk
    cross join lateral (
      select m.ctid as place, m.topic, m.id from outbox_message m
      where m.ordering_key = walk.ordering_key and m.available_at <= now() and m.topic = any($2::text[])
      order by m.id
      limit ${free('walk.ordering_key')}
      for update skip locked
    ) oldest`;
  const picked =
    throttledTopics === null
      ? `picked as (${oldest} where not exists (select from claim_throttle) limit $5::int)`
      : pickedWithThrottles({ oldest, free, throttledTopics });
  const advanced = `
    advanced as (
      update claim_throttle g
      set next_claim_at = now() + make_interval(secs => $7::float8), probe_number = g.probe_number + 1
      where (g.ordering_key, g.topic) in (select ordering_key, throttle from allowed)
      returning g.ordering_key, g.topic, g.probe_number
    )`;
  return `
    with recursive walk (ordering_key, step) as (
      (select ordering_key, 1 from outbox_message where ordering_key > $1::uuid order by ordering_key limit 1)
      union all
      select next.ordering_key, walk.step + 1
      from walk cross join lateral (
        select m.ordering_key from outbox_message m
        where m.ordering_key > walk.ordering_key order by m.ordering_key limit 1
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
      update outbox_message m
      set claim_id = $6::uuid, available_at = now() + make_interval(secs => $7::float8),
          unknown_outcomes = m.unknown_outcomes + 1
      where m.ctid = any (array(select place from taken))
      returning m.ordering_key as "orderingKey", m.project_id as "projectId", m.id, m.topic,
                m.subject_id as "subjectId", m.payload, m.unknown_outcomes - 1 as "abandonedAttempts", m.failures,
                m.created_at as "createdAt"
    )${throttledTopics === null ? '' : `, ${advanced}`}
    select claimed.*, ${throttledTopics === null ? 'null::int' : 'advanced.probe_number'} as "probeNumber", null::json as walk
    from claimed
    ${throttledTopics === null ? '' : `left join advanced on advanced.ordering_key = claimed."orderingKey" and ${isThrottled(throttledTopics, 'claimed.topic')}`}
    union all
    select null, null, null, null, null, null, null, null, null, null,
           json_build_object('lastKey', w."lastKey", 'walked', w.walked, 'lastPicked', p."lastPicked", 'picked', p.picked,
             'hasThrottles', ${throttledTopics === null ? 'p.picked = 0 and ' : ''}exists (select from claim_throttle))
    from (select max(ordering_key::text) as "lastPicked", count(*)::int as picked from picked) p
    cross join lateral (
      select max(ordering_key::text) as "lastKey", count(*)::int as walked from walk where p.picked < $5::int
    ) w
  `;
}

/** Whether a topic is one of those that may have throttles. */
function isThrottled(throttledTopics: readonly string[], topic: string): string {
  return throttledTopics.length === 0
    ? 'false'
    : `${topic} in (${throttledTopics.map((throttled) => `'${throttled}'`).join()})`;
}

/** What throttles let through, then the keys without throttles, then what has a throttle's key and another topic. */
function pickedWithThrottles({
  oldest,
  free,
  throttledTopics,
}: {
  oldest: string;
  free: (key: string) => string;
  throttledTopics: readonly string[];
}): string {
  const besideThrottled = throttledTopics.map((topic) => `m.topic <> '${topic}'`).join(' and ') || 'false';
  return `
    throttled as materialized (
      select walk.ordering_key, throttle.topic, throttle.is_due
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
        select m.ctid as place, m.topic, m.id from outbox_message m
        where m.ordering_key = throttled.ordering_key and m.available_at <= now() and m.topic = any($2::text[])
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
          select m.ctid as place, m.topic, m.id from outbox_message m
          where m.ordering_key = throttled.ordering_key and m.available_at <= now() and m.topic = any($2::text[])
            and ${besideThrottled}
          order by m.id
          limit ${free('throttled.ordering_key')}
          for update skip locked
        ) oldest
        limit $5::int - (select count(*) from allowed)
      ) beside
    )`;
}
