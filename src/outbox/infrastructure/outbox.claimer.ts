import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import type { Pool } from 'pg';
import { ThrottledLog } from '../../shared/throttled-log.js';
import { newId } from '../../shared/ids.js';
import { openPool } from '../../shared/postgres-pool.js';
import { InjectSettings } from '../../shared/inject-settings.js';
import { type OutboxSettings, outboxSettings } from '../outbox.settings.js';
import { type DatabaseSettings, databaseSettings } from '../../database/database.settings.js';
import type { OutboxMessage } from '../domain/outbox-message.js';
import { CLAIM_KEYS_MAX, claimStatement } from './claim-statement.js';

export const LOWEST_KEY = '00000000-0000-0000-0000-000000000000';
/** A claim takes milliseconds; one that takes this long is on a server that hangs. */
const CLAIM_TIMEOUT_MS = 10_000;

/** What a claim may take. */
export interface ClaimRequest {
  topics: string[];
  /** The topics that may have throttles. */
  throttledTopics: readonly string[];
  /** Messages in all. */
  limit: number;
  /** Messages of a key that `freeOf` does not name. */
  limitPerKey: number;
  /** Messages that keys with work under way may still get; 0 for one that has its fill. */
  freeOf: Map<string, number>;
  /** Messages of a topic with a limit of its own; the other topics have none. */
  freeOfTopic: Map<string, number>;
  /** Messages of one key of such a topic; absent: as many as of the topic. */
  perKeyOfTopic?: Map<string, number>;
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

/** What a claim tells of its walk over the keys. */
interface Walk {
  /** Null, and 0 walked, where as many were picked as were asked for. */
  lastKey: string | null;
  walked: number;
  lastPicked: string | null;
  picked: number;
  /** Of any key and topic. */
  hasThrottles: boolean;
}

/** A row for each message, and one without a message for the walk. */
type ClaimRow = (OutboxMessage & { walk: null }) | { walk: Walk };

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
  private readonly statements = new Map<string, { name: string; text: string }>();
  /** Whether some throttle stood when it was looked last. */
  private hasThrottles = false;

  constructor(
    @InjectSettings(outboxSettings) settings: OutboxSettings,
    @InjectSettings(databaseSettings) database: DatabaseSettings,
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
   * oldest of each, of those behind a throttle what it lets through. A lease that has run out counts as an unknown outcome
   * and may be claimed again.
   */
  async claim(request: ClaimRequest): Promise<Claimed> {
    const claimId = newId();
    let { walk, messages } = await this.ask(request, claimId);
    // Asked as if there were no throttle, the database has claimed nothing where there is one.
    const isToBeAskedAgain = !this.hasThrottles && walk.hasThrottles;
    this.hasThrottles = walk.hasThrottles;
    if (isToBeAskedAgain) ({ walk, messages } = await this.ask(request, claimId));
    const { lastKey, walked, lastPicked, picked } = walk;
    const isFull = picked >= request.limit;
    const reachedEnd = walked < CLAIM_KEYS_MAX && !isFull;
    const lastServed = isFull ? lastPicked : lastKey;
    return {
      claimId,
      messages: messages.toSorted(byNumber),
      nextKey: reachedEnd ? LOWEST_KEY : (lastServed ?? LOWEST_KEY),
      reachedEnd,
    };
  }

  private async ask(
    request: ClaimRequest,
    claimId: string,
  ): Promise<{ walk: Walk; messages: OutboxMessage[] }> {
    const { rows } = await this.pool.query<ClaimRow>({
      ...this.statementFor(this.hasThrottles ? request.throttledTopics : null),
      values: [
        request.afterKey,
        request.topics,
        // Keys are UUIDs, so a topic is none of them.
        JSON.stringify(Object.fromEntries([...request.freeOf, ...(request.perKeyOfTopic ?? [])])),
        request.limitPerKey,
        request.limit,
        claimId,
        this.leaseSeconds,
        [...request.freeOfTopic.keys()],
        [...request.freeOfTopic.values()],
      ],
    });
    const messages: OutboxMessage[] = [];
    let walk: Walk | null = null;
    for (const row of rows) {
      if (row.walk !== null) ({ walk } = row);
      else messages.push(messageOf(row));
    }
    if (!walk) throw new Error('a claim has told nothing of its walk');
    return { walk, messages };
  }

  /** The topics are the same ones as long as a process runs, so a text is made once. */
  private statementFor(throttledTopics: readonly string[] | null): { name: string; text: string } {
    const name =
      throttledTopics === null ? 'outbox-claim' : ['outbox-claim-throttled', ...throttledTopics].join(' ');
    const known = this.statements.get(name);
    if (known) return known;
    const statement = { name, text: claimStatement(throttledTopics) };
    this.statements.set(name, statement);
    return statement;
  }

  async onApplicationShutdown(): Promise<void> {
    await this.pool.end();
  }
}

/** An update gives its rows back as they lie in the table. */
function byNumber(a: OutboxMessage, b: OutboxMessage): number {
  return a.id - b.id;
}

function messageOf(row: OutboxMessage): OutboxMessage {
  const {
    orderingKey,
    projectId,
    id,
    topic,
    subjectId,
    payload,
    abandonedAttempts,
    failures,
    createdAt,
    probeNumber,
  } = row;
  return {
    orderingKey,
    projectId,
    id,
    topic,
    subjectId,
    payload,
    abandonedAttempts,
    failures,
    createdAt,
    probeNumber,
  };
}
