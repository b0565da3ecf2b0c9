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
 * `gatedTopics` are those that may have gates. With null it claims only where no gate stands at all, and says so: most of the time there is none, and the
 * parts that look after gates cost a small claim a quarter of its time even then (0.83 ms of processor against 0.68).
 *
 * Of a key with a gate nothing of the topics that may have gates is read before it opens, however much waits behind it,
 * and what else has the key is found by an index of its own. A key has one gate, which lets all of those topics through:
 * would it let through its own alone, the others would wait until something of that one comes. A gate that opens is
 * locked by the worker that takes what it lets through and shut in the same statement, so no two workers do.
 */
export function claimStatement(gatedTopics: readonly string[] | null): string {
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
    gatedTopics === null
      ? `picked as (${oldest} where not exists (select from outbox_gate) limit $5::int)`
      : pickedPastGates({ oldest, free, gatedTopics });
  const opened = `
    opened as (
      update outbox_gate g
      set opens_at = now() + make_interval(secs => $7::float8), openings = g.openings + 1
      where (g.ordering_key, g.topic) in (select ordering_key, gate from let_through)
      returning g.ordering_key, g.topic, g.openings
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
                m.subject_id as "subjectId", m.payload, m.unknown_outcomes - 1 as "unknownOutcomes", m.failures,
                m.created_at as "createdAt"
    )${gatedTopics === null ? '' : `, ${opened}`}
    select claimed.*, ${gatedTopics === null ? 'null::int' : 'opened.openings'} as opening, null::json as walk
    from claimed
    ${gatedTopics === null ? '' : `left join opened on opened.ordering_key = claimed."orderingKey" and ${isGated(gatedTopics, 'claimed.topic')}`}
    union all
    select null, null, null, null, null, null, null, null, null, null,
           json_build_object('lastKey', w."lastKey", 'walked', w.walked, 'lastPicked', p."lastPicked", 'picked', p.picked,
             'hasGates', ${gatedTopics === null ? 'p.picked = 0 and ' : ''}exists (select from outbox_gate))
    from (select max(ordering_key::text) as "lastPicked", count(*)::int as picked from picked) p
    cross join lateral (
      select max(ordering_key::text) as "lastKey", count(*)::int as walked from walk where p.picked < $5::int
    ) w
  `;
}

/** Whether a topic is one of those that may have gates. */
function isGated(gatedTopics: readonly string[], topic: string): string {
  return gatedTopics.length === 0
    ? 'false'
    : `${topic} in (${gatedTopics.map((gated) => `'${gated}'`).join()})`;
}

/** What gates let through, then the keys without gates, then what has a gate's key and another topic. */
function pickedPastGates({
  oldest,
  free,
  gatedTopics,
}: {
  oldest: string;
  free: (key: string) => string;
  gatedTopics: readonly string[];
}): string {
  const besideGates = gatedTopics.map((topic) => `m.topic <> '${topic}'`).join(' and ') || 'false';
  return `
    gated as materialized (
      select walk.ordering_key, gate.topic, gate.is_open
      from walk
      cross join lateral (
        select g.topic, g.opens_at <= now() as is_open from outbox_gate g
        where g.ordering_key = walk.ordering_key limit 1
      ) gate
      where exists (select from outbox_gate)
    ), let_through as materialized (
      select oldest.place, oldest.topic, oldest.id, gated.ordering_key, gated.topic as gate
      from gated
      cross join lateral (
        select g.width from outbox_gate g
        where g.ordering_key = gated.ordering_key and g.topic = gated.topic and g.opens_at <= now()
        for update skip locked
      ) gate
      cross join lateral (
        select m.ctid as place, m.topic, m.id from outbox_message m
        where m.ordering_key = gated.ordering_key and m.available_at <= now() and m.topic = any($2::text[])
          and ${isGated(gatedTopics, 'm.topic')}
        order by m.id
        limit least(gate.width, ${free('gated.ordering_key')})
        for update skip locked
      ) oldest
      where gated.is_open and gated.topic = any($2::text[])
      limit $5::int
    ), picked as (
      select place, topic, id, ordering_key from let_through
      union all
      select * from (
        ${oldest}
        where walk.ordering_key not in (select ordering_key from gated)
        limit $5::int - (select count(*) from let_through)
      ) ungated
      union all
      select * from (
        select oldest.place, oldest.topic, oldest.id, gated.ordering_key
        from gated
        cross join lateral (
          select m.ctid as place, m.topic, m.id from outbox_message m
          where m.ordering_key = gated.ordering_key and m.available_at <= now() and m.topic = any($2::text[])
            and ${besideGates}
          order by m.id
          limit ${free('gated.ordering_key')}
          for update skip locked
        ) oldest
        limit $5::int - (select count(*) from let_through)
      ) beside
    )`;
}
