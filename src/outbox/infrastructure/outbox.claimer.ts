import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import type { Pool } from 'pg';
import { ThrottledLog } from '../../shared/throttled-log.js';
import { newId } from '../../shared/ids.js';
import { openPool } from '../../shared/postgres-pool.js';
import { SettingsFrom } from '../../shared/inject-settings.js';
import { type OutboxSettings, outboxSettings } from '../outbox.settings.js';
import { type DatabaseSettings, databaseSettings } from '../../database/database.settings.js';
import type { OutboxMessage } from '../domain/outbox-message.js';

/** Ordering keys that one claim looks at; each costs one step in the primary key. */
const CLAIM_KEYS_MAX = 256;
/** One topic has gates today. */
const GATES_PER_KEY_MAX = 8;
export const LOWEST_KEY = '00000000-0000-0000-0000-000000000000';
/** A claim takes milliseconds; one that takes this long is on a server that hangs. */
const CLAIM_TIMEOUT_MS = 10_000;

/** What a claim may take. */
export interface ClaimRequest {
  topics: string[];
  /** The topics that may have gates; absent: none. */
  gatedTopics?: readonly string[];
  /** Messages in all. */
  limit: number;
  /** Messages of a key that `freeOf` does not name. */
  limitPerKey: number;
  /** Messages that keys with work under way may still get; 0 for one that has its fill. */
  freeOf: Map<string, number>;
  /** Messages of a topic with a limit of its own; the other topics have none. */
  freeOfTopic: Map<string, number>;
  /** Where the walk over the keys begins; see `Claimed.nextKey`. */
  afterKey: string;
}

export interface Claimed {
  claimId: string;
  messages: OutboxMessage[];
  /** Give this as `afterKey` next time, so that all keys get their turn. */
  nextKey: string;
  /** The walk came to the last key. */
  reachedEnd: boolean;
}

/** The walk stands in each row; where nothing was claimed there is one, without a message. */
type ClaimRow = OutboxMessage & {
  lastKey: string | null;
  walked: number;
  lastPicked: string | null;
  picked: number;
};

/**
 * Parameters: after which key, topics, free by key, limit per key, limit, claim id, lease in seconds, topics with a limit
 * of their own, and what is free of each. Of those topics no more is leased than that, however many were picked.
 * The rows picked are locked, so they are updated by their place: joined by their key, a plan made while the
 * outbox was empty, and kept, read all of it for each of them (8.0 s against 7 ms for 256 of 50,000).
 *
 * Of a key with a gate nothing of the gate's topic is read before it opens, however much waits behind it, and what else
 * has the key is found by an index of its own. A gate that opens is locked by the worker that takes what it lets through
 * and shut in the same statement, so no two workers do.
 */
function claimStatement(gatedTopics: readonly string[]): string {
  const besideGates = gatedTopics.map((topic) => `m.topic <> '${topic}'`).join(' and ') || 'false';
  const free = (key: string): string => `coalesce(($3::jsonb ->> ${key}::text)::int, $4::int)`;
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
    ), gated as materialized (
      select walk.ordering_key, gate.topic, gate.is_open
      from walk
      cross join lateral (
        select g.topic, g.opens_at <= now() as is_open from outbox_gate g
        where g.ordering_key = walk.ordering_key limit ${GATES_PER_KEY_MAX}
      ) gate
      where exists (select from outbox_gate)
    ), let_through as materialized (
      select oldest.place, oldest.topic, gated.ordering_key
      from gated
      cross join lateral (
        select g.width from outbox_gate g
        where g.ordering_key = gated.ordering_key and g.topic = gated.topic and g.opens_at <= now()
        for update skip locked
      ) gate
      cross join lateral (
        select m.ctid as place, m.topic from outbox_message m
        where m.ordering_key = gated.ordering_key and m.available_at <= now() and m.topic = gated.topic
        order by m.id
        limit least(gate.width, ${free('gated.ordering_key')})
        for update skip locked
      ) oldest
      where gated.is_open and gated.topic = any($2::text[])
      limit $5::int
    ), picked as (
      select place, topic, ordering_key from let_through
      union all
      select * from (
        select oldest.place, oldest.topic, walk.ordering_key
        from walk
        cross join lateral (
          select m.ctid as place, m.topic from outbox_message m
          where m.ordering_key = walk.ordering_key and m.available_at <= now() and m.topic = any($2::text[])
          order by m.id
          limit ${free('walk.ordering_key')}
          for update skip locked
        ) oldest
        where walk.ordering_key not in (select ordering_key from gated)
        limit $5::int - (select count(*) from let_through)
      ) ungated
      union all
      select * from (
        select oldest.place, oldest.topic, gated.ordering_key
        from gated
        cross join lateral (
          select m.ctid as place, m.topic from outbox_message m
          where m.ordering_key = gated.ordering_key and m.available_at <= now() and m.topic = any($2::text[])
            and ${besideGates}
          order by m.id
          limit ${free('gated.ordering_key')}
          for update skip locked
        ) oldest
        limit $5::int - (select count(*) from let_through)
      ) beside
    ), taken as (
      select place from picked where topic <> all($8::text[])
      union all
      select within.place
      from unnest($8::text[], $9::int[]) as bound (topic, free)
      cross join lateral (select place from picked where picked.topic = bound.topic limit bound.free) within
    ), claimed as (
      update outbox_message m
      set claim_id = $6::uuid, available_at = now() + make_interval(secs => $7::float8),
          unknown_outcomes = m.unknown_outcomes + 1
      where m.ctid = any (array(select place from taken))
      returning m.ordering_key as "orderingKey", m.project_id as "projectId", m.id, m.topic,
                m.subject_id as "subjectId", m.payload, m.unknown_outcomes - 1 as "unknownOutcomes", m.failures,
                m.created_at as "createdAt"
    ), opened as (
      update outbox_gate g
      set opens_at = now() + make_interval(secs => $7::float8), openings = g.openings + 1
      where (g.ordering_key, g.topic) in (select ordering_key, topic from let_through)
      returning g.ordering_key, g.topic, g.openings
    )
    select claimed.*, opened.openings as opening, w."lastKey", w.walked, p."lastPicked", p.picked
    from (select max(ordering_key::text) as "lastKey", count(*)::int as walked from walk) w
    cross join (select max(ordering_key::text) as "lastPicked", count(*)::int as picked from picked) p
    left join claimed on true
    left join opened on opened.ordering_key = claimed."orderingKey" and opened.topic = claimed.topic
  `;
}

/**
 * What the planner knows of a table that fills and empties all the time is never true. Left to itself it reads
 * and sorts a key's whole backlog for its oldest few messages; the primary key gives them in their order.
 */
const ALONG_THE_PRIMARY_KEY = {
  enable_sort: 'off',
  enable_bitmapscan: 'off',
  enable_seqscan: 'off',
  plan_cache_mode: 'force_generic_plan',
  jit: 'off',
};

/** Settings of the connection that claims. */
const SERVER_SETTINGS = {
  ...ALONG_THE_PRIMARY_KEY,
  // A claim that a crash of the server undoes is made again; to wait for the disk would protect nothing.
  synchronous_commit: 'off',
};

/** Leases messages to this worker. Time is the database's alone: a worker's clock decides nothing here. */
@Injectable()
export class OutboxClaimer implements OnApplicationShutdown {
  private readonly dropped = new ThrottledLog(
    new Logger(OutboxClaimer.name),
    'the connection that claims messages broke off; opening another one',
  );
  private readonly pool: Pool;
  private readonly leaseSeconds: number;
  private statement: { name: string; text: string } | null = null;

  constructor(
    @SettingsFrom(outboxSettings) settings: OutboxSettings,
    @SettingsFrom(databaseSettings) database: DatabaseSettings,
  ) {
    this.leaseSeconds = settings.leaseMs / 1000;
    this.pool = openPool(database, {
      name: 'claim',
      connections: 1,
      statementMs: CLAIM_TIMEOUT_MS,
      serverSettings: SERVER_SETTINGS,
      onDropped: (error) => this.dropped.warn(error),
    });
  }

  /**
   * Leases messages under a new claim id, fair between ordering keys: it steps from key to key along the
   * primary key (so that a key with a million messages costs the same step as one with one) and takes the
   * oldest of each, of those behind a gate what it lets through. A lease that has run out counts as an unknown outcome and may be claimed again.
   */
  async claim(request: ClaimRequest): Promise<Claimed> {
    const claimId = newId();
    const { rows } = await this.pool.query<ClaimRow>({
      ...this.statementFor(request.gatedTopics ?? []),
      values: [
        request.afterKey,
        request.topics,
        JSON.stringify(Object.fromEntries(request.freeOf)),
        request.limitPerKey,
        request.limit,
        claimId,
        this.leaseSeconds,
        [...request.freeOfTopic.keys()],
        [...request.freeOfTopic.values()],
      ],
    });
    const { lastKey, walked, lastPicked, picked } = rows[0] ?? NOTHING;
    const isFull = picked >= request.limit;
    const reachedEnd = walked < CLAIM_KEYS_MAX && !isFull;
    const lastServed = isFull ? lastPicked : lastKey;
    return {
      claimId,
      messages: rows
        .filter((row) => row.orderingKey !== null)
        .map(messageOf)
        .toSorted(byNumber),
      nextKey: reachedEnd ? LOWEST_KEY : (lastServed ?? LOWEST_KEY),
      reachedEnd,
    };
  }

  /** The topics are the same ones as long as a process runs, so the text is made once. */
  private statementFor(gatedTopics: readonly string[]): { name: string; text: string } {
    const name = ['outbox-claim', ...gatedTopics].join(' ');
    if (this.statement?.name !== name) this.statement = { name, text: claimStatement(gatedTopics) };
    return this.statement;
  }

  async onApplicationShutdown(): Promise<void> {
    await this.pool.end();
  }
}

const NOTHING = { lastKey: null, walked: 0, lastPicked: null, picked: 0 };

/** An update gives its rows back as they lie in the table. */
function byNumber(a: OutboxMessage, b: OutboxMessage): number {
  return a.id - b.id;
}

function messageOf(row: ClaimRow): OutboxMessage {
  const {
    orderingKey,
    projectId,
    id,
    topic,
    subjectId,
    payload,
    unknownOutcomes,
    failures,
    createdAt,
    opening,
  } = row;
  return {
    orderingKey,
    projectId,
    id,
    topic,
    subjectId,
    payload,
    unknownOutcomes,
    failures,
    createdAt,
    opening,
  };
}
