import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable, Logger } from '@nestjs/common';
import { uuidLowerBound } from '../../../platform/identity/ids.js';
import { FairSemaphore } from '../../../platform/limits/fair-semaphore.js';
import { ThrottledLog } from '../../../platform/operations/throttled-log.js';
import { AccessService } from '../../access/access.service.js';
import type { ProjectEvent } from '../domain/event.js';
import { type EventPosition, findWithEvents, listEventsAfter } from '../infrastructure/event.rows.js';

/** Longest wait of a request: well below the 30 s that proxies and the server allow. */
export const WAIT_SECONDS_MAX = 20;
/** Requests of one account's projects that wait in a process, and of all. A wait costs memory, and no connection. */
export const WAITS_PER_ACCOUNT_MAX = 10;
const WAITS_MAX = 400;
const RETRY_AFTER_SECONDS = 5;
/** One query of this process finds the events of all waits. */
const POLL_MS = 500;
/**
 * Events are returned when they are this old: until then, a transaction may commit one with an earlier id, which a
 * caller that has read on would never see.
 */
const SETTLED_MS = 1_000;

interface Wait {
  position: Omit<EventPosition, 'before'>;
  end(): void;
}

/** Reads the events after an event, and waits for the next one. */
@Injectable()
export class EventWaits {
  private readonly permits = new FairSemaphore({
    permits: WAITS_MAX,
    permitsPerKey: WAITS_PER_ACCOUNT_MAX,
    noun: 'account',
    waitingPerKeyMax: 0,
    waitMs: 0,
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });
  private readonly failure = new ThrottledLog(
    new Logger(EventWaits.name),
    'could not look for events of waiting requests; trying again',
  );
  private readonly waits = new Set<Wait>();
  private timer: NodeJS.Timeout | undefined;
  private stopping = false;

  constructor(
    private readonly em: EntityManager,
    private readonly access: AccessService,
  ) {}

  /**
   * At most `limit` events, oldest first. Without any, waits until there is one, or up to `waitSeconds`.
   *
   * @throws DomainError `too_many_requests` (429), `overloaded` (503); ClientDisconnected.
   */
  async read(
    position: Wait['position'],
    { limit, waitSeconds, gone }: { limit: number; waitSeconds: number; gone: AbortSignal },
  ): Promise<ProjectEvent[]> {
    const first = await this.list(position, limit);
    if (first.length > 0 || waitSeconds === 0 || this.stopping) return first;
    const release = await this.permits.acquire(await this.access.accountOf(position.projectId), gone);
    try {
      await this.wait(position, waitSeconds * 1_000, gone);
    } finally {
      release();
    }
    return this.list(position, limit);
  }

  /** Ends all waits, before the server waits for its requests to end. */
  stop(): void {
    this.stopping = true;
    clearTimeout(this.timer);
    for (const wait of this.waits) wait.end();
  }

  private list(position: Wait['position'], limit: number): Promise<ProjectEvent[]> {
    return listEventsAfter(this.em.fork(), { ...position, before: settledBefore() }, limit);
  }

  /** Returns when there may be an event, the time is over, or the process stops. */
  private wait(position: Wait['position'], maxMs: number, gone: AbortSignal): Promise<void> {
    gone.throwIfAborted();
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        clearTimeout(timer);
        gone.removeEventListener('abort', onGone);
        this.waits.delete(wait);
      };
      const onGone = (): void => {
        leave();
        reject(gone.reason as Error);
      };
      const wait = {
        position,
        end: () => {
          leave();
          resolve();
        },
      };
      const timer = setTimeout(wait.end, maxMs);
      gone.addEventListener('abort', onGone);
      this.waits.add(wait);
      if (this.waits.size === 1) this.pollLater();
    });
  }

  private pollLater(): void {
    clearTimeout(this.timer);
    if (!this.stopping) this.timer = setTimeout(() => void this.poll(), POLL_MS);
  }

  /** Never rejects. */
  private async poll(): Promise<void> {
    const waits = [...this.waits];
    if (waits.length === 0) return;
    const before = settledBefore();
    try {
      const found = await findWithEvents(
        this.em.fork(),
        waits.map(({ position }) => ({ ...position, before })),
      );
      for (const index of found) waits[index]?.end();
    } catch (error) {
      this.failure.warn(error);
    }
    if (this.waits.size > 0) this.pollLater();
  }
}

const settledBefore = (): string => uuidLowerBound(new Date(Date.now() - SETTLED_MS));
