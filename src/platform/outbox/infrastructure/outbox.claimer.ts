import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import type { Pool } from 'pg';
import { ThrottledLog } from '../../operations/throttled-log.js';
import { newId } from '../../identity/ids.js';
import { openPool } from '../../database/postgres-pool.js';
import { InjectSettings } from '../../settings/inject-settings.js';
import { type OutboxSettings, outboxSettings } from '../outbox.settings.js';
import { type DatabaseSettings, databaseSettings } from '../../database/database.settings.js';
import type { OutboxMessage } from '../domain/outbox-message.js';
import { CLAIM_KEYS_MAX, claimStatement } from './claim-statement.js';

export const LOWEST_KEY = '00000000-0000-0000-0000-000000000000';
/** A claim takes milliseconds, so one that takes this long indicates a hanging server. */
const CLAIM_TIMEOUT_MS = 10_000;

/** Limits of a claim. */
export interface ClaimRequest {
  /** The partition of the outbox. */
  part: number;
  topics: string[];
  /** The topics that may have throttles. */
  throttledTopics: readonly string[];
  /** Messages in all. */
  limit: number;
  /** Messages of a key that is not in `freeOf`. */
  limitPerKey: number;
  /** Messages that keys with work in progress may still get; 0 if full. */
  freeOf: Map<string, number>;
  /** Messages of limited topics; other topics have no entry. */
  freeOfTopic: Map<string, number>;
  /** Messages per key of a limited topic; absent: up to the topic's limit. */
  perKeyOfTopic?: Map<string, number>;
  /** Start of the walk over the keys; see `Claimed.nextKey`. */
  afterKey: string;
}

export interface Claimed {
  claimId: string;
  messages: OutboxMessage[];
  /** The next `afterKey`, so that all keys get their turn. */
  nextKey: string;
  /** The walk reached the last key. */
  reachedEnd: boolean;
  /** The partition that new messages go to. */
  openPart: number;
}

/** The walk of a claim over the keys. */
interface Walk {
  /** Null, and 0 walked, if the claim is full. */
  lastKey: string | null;
  walked: number;
  lastPicked: string | null;
  picked: number;
  openPart: number;
  /** Of any key and topic. */
  hasThrottles: boolean;
}

/** A row for each message, and one without a message for the walk. */
type ClaimRow = (OutboxMessage & { walk: null }) | { walk: Walk };

/**
 * Planner statistics of a table that constantly fills and empties are always wrong. By default the planner reads
 * and sorts the whole backlog of a key; the primary key returns the oldest messages in order.
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
  // A claim lost in a crash is repeated, so waiting for the disk protects nothing.
  synchronous_commit: 'off',
};

/** Leases messages to this worker. Only the clock of the database counts. */
@Injectable()
export class OutboxClaimer implements OnApplicationShutdown {
  private readonly dropped = new ThrottledLog(
    new Logger(OutboxClaimer.name),
    'lost the connection that claims messages; reconnecting',
  );
  private readonly pool: Pool;
  private readonly leaseSeconds: number;
  private readonly statements = new Map<string, { name: string; text: string }>();
  /** Whether any throttle existed at the last claim. */
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
   * Leases messages under a new claim id, fairly between ordering keys: it steps from key to key along the primary
   * key, so a key with a million messages costs the same as one with a single message, and takes the oldest of
   * each key within its throttle. An expired lease counts as an abandoned attempt and may be claimed again.
   */
  async claim(request: ClaimRequest): Promise<Claimed> {
    const claimId = newId();
    let { walk, messages } = await this.ask(request, claimId);
    // The statement without throttles claims nothing if one exists.
    const isToBeAskedAgain = !this.hasThrottles && walk.hasThrottles;
    this.hasThrottles = walk.hasThrottles;
    if (isToBeAskedAgain) ({ walk, messages } = await this.ask(request, claimId));
    const { lastKey, walked, lastPicked, picked, openPart } = walk;
    const isFull = picked >= request.limit;
    const reachedEnd = walked < CLAIM_KEYS_MAX && !isFull;
    const lastServed = isFull ? lastPicked : lastKey;
    return {
      claimId,
      messages: messages.toSorted(byNumber),
      nextKey: reachedEnd ? LOWEST_KEY : (lastServed ?? LOWEST_KEY),
      reachedEnd,
      openPart,
    };
  }

  private async ask(
    request: ClaimRequest,
    claimId: string,
  ): Promise<{ walk: Walk; messages: OutboxMessage[] }> {
    const { rows } = await this.pool.query<ClaimRow>({
      ...this.statementFor(request.part, this.hasThrottles ? request.throttledTopics : null),
      values: [
        request.afterKey,
        request.topics,
        // Keys are UUIDs, so no topic collides with them.
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
      else messages.push(toMessage(row, request.part));
    }
    if (!walk) throw new Error('a claim returned no walk');
    return { walk, messages };
  }

  /** The topics do not change while a process runs, so each text is built once. */
  private statementFor(
    part: number,
    throttledTopics: readonly string[] | null,
  ): { name: string; text: string } {
    const name =
      throttledTopics === null
        ? `outbox-claim-${part}`
        : [`outbox-claim-throttled-${part}`, ...throttledTopics].join(' ');
    const known = this.statements.get(name);
    if (known) return known;
    const statement = { name, text: claimStatement(part, throttledTopics) };
    this.statements.set(name, statement);
    return statement;
  }

  async onApplicationShutdown(): Promise<void> {
    await this.pool.end();
  }
}

/** An update returns its rows in table order. */
function byNumber(a: OutboxMessage, b: OutboxMessage): number {
  return a.id - b.id;
}

function toMessage(row: OutboxMessage, part: number): OutboxMessage {
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
    part,
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
