import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleInit } from '@nestjs/common';
import { EntityManager } from '@mikro-orm/postgresql';
import { insertMessages } from './infrastructure/insert-messages.js';
import {
  countBacklog,
  countWaiting,
  deleteAbout,
  forgetSubjects,
  hasRecent,
  isWaiting,
  findNewestDeadLetter,
  readOldestAge,
  oldestAgeOfTopics,
  type Waiting,
  type WaitingOf,
  waitingAmong,
  waitingSubjects,
  waitingSubjectsOfKeys,
} from './infrastructure/waiting-messages.js';
import {
  countThrottled,
  nextClaimAt,
  oldestWaiting,
  allowClaim,
  removeThrottles,
  setThrottles,
  waitingSince,
} from './infrastructure/claim-throttles.js';
import type { ClaimThrottle, ThrottleKey } from './domain/claim-throttle.js';
import type { NewOutboxMessage } from './domain/outbox-message.js';
import type { OutboxHandler } from './outbox.handler.js';

export type { WaitingOf } from './infrastructure/waiting-messages.js';

/** Notifies the workers that messages wait; provided without BullMQ, which threads need not load. */
export interface WorkerNotifier {
  notify(): void;
}
export const WORKER_NOTIFIER = Symbol('worker notifier');

/** Public interface of the outbox: modules append messages, handlers register for topics. */
@Injectable()
export class OutboxService implements OnModuleInit, OnApplicationBootstrap {
  private readonly handlers = new Map<string, OutboxHandler>();
  private readonly announced = new Set<string>();
  /** Open transactions that have appended messages. */
  private readonly appending = new WeakSet<object>();

  constructor(
    private readonly em: EntityManager,
    @Inject(WORKER_NOTIFIER) private readonly notifier: WorkerNotifier,
  ) {}

  /**
   * For processes without handlers, such as operator commands: messages of the topics are stored, and the service's
   * workers process them at their next poll.
   */
  static appendOnly(em: EntityManager, { topics }: { topics: readonly string[] }): OutboxService {
    const outbox = new OutboxService(em, { notify: () => undefined });
    for (const topic of topics) outbox.announce(topic);
    return outbox;
  }

  /** Notifies on commit, so callers cannot forget to, and never for messages that are not stored. */
  onModuleInit(): void {
    this.em.getEventManager().registerSubscriber({
      afterTransactionCommit: ({ transaction }): void => {
        const context = transaction as object | undefined;
        if (context && this.appending.delete(context)) this.notifyWorkers();
      },
    });
  }

  /** Declares a topic that this module appends; call it while modules start (`onModuleInit`). */
  announce(topic: string): void {
    this.announced.add(topic);
  }

  /** Registers a handler for its topics; call it while modules start (`onModuleInit`). */
  register(handler: OutboxHandler): void {
    for (const topic of handler.topics) {
      if (this.handlers.has(topic)) throw new Error(`The topic ${topic} has two handlers.`);
      if (handler.throttled && handler.slotsMax !== undefined)
        throw new Error(`The topic ${topic} has both throttles and a limit of its own.`);
      this.handlers.set(topic, handler);
    }
  }

  /** Fails the start if an announced topic has no handler: its messages would pile up unnoticed. */
  onApplicationBootstrap(): void {
    for (const topic of this.announced) this.handlerOf(topic);
  }

  /**
   * Appends a message inside the caller's transaction; the commit wakes a worker.
   * @throws Error if `tx` is not a transaction or the topic has no handler; both are bugs.
   */
  append(tx: EntityManager, message: NewOutboxMessage): Promise<void> {
    return this.appendMany(tx, [message]);
  }

  /** Appends messages in one statement, in their order; else as `append`. */
  async appendMany(tx: EntityManager, messages: readonly NewOutboxMessage[]): Promise<void> {
    const context = tx.getTransactionContext<object>();
    if (!context) throw new Error('An outbox message must be appended inside a transaction.');
    // The start checks that announced topics have a handler, here or in another process.
    for (const { topic } of messages) if (!this.announced.has(topic)) this.handlerOf(topic);
    if (messages.length === 0) return;
    await insertMessages(tx, messages);
    this.appending.add(context);
  }

  /** Appends a message and deletes earlier messages and dead letters about its subject. */
  async appendAnew(tx: EntityManager, message: NewOutboxMessage): Promise<void> {
    await deleteAbout(tx, message);
    await this.append(tx, message);
  }

  /**
   * Deletes messages and dead letters about subjects, in the caller's transaction; reads the whole queue of the
   * key.
   */
  forget(tx: EntityManager, waiting: WaitingOf, subjectIds: string[]): Promise<void> {
    return forgetSubjects(tx, waiting, subjectIds);
  }

  /** How many messages of a key and topic wait, those under way included, and since when; counted up to `max`. */
  countWaiting(waiting: WaitingOf, max: number): Promise<Waiting> {
    return countWaiting(this.em.fork(), waiting, max);
  }

  /** Whether a message about the subject is among the newest `scanMax` that wait. */
  isWaiting(
    waiting: WaitingOf & { subjectId: string },
    scanMax: number,
    em: EntityManager = this.em.fork(),
  ): Promise<boolean> {
    return isWaiting(em, waiting, scanMax);
  }

  /** Subjects of the newest `scanMax` queued messages, as the transaction sees them. */
  waitingSubjects(tx: EntityManager, waiting: WaitingOf, scanMax: number): Promise<string[]> {
    return waitingSubjects(tx, waiting, scanMax);
  }

  /** Those of these subjects that are among the newest `scanMax` queued messages. */
  waitingAmong(
    tx: EntityManager,
    waiting: WaitingOf,
    subjectIds: readonly string[],
    scanMax: number,
  ): Promise<string[]> {
    return waitingAmong(tx, waiting, subjectIds, scanMax);
  }

  /** As `waitingSubjects`, of several keys in one statement. */
  waitingSubjectsOfKeys(
    tx: EntityManager,
    waiting: { orderingKeys: readonly string[]; topic: string },
    scanMax: number,
  ): Promise<string[]> {
    return waitingSubjectsOfKeys(tx, waiting, scanMax);
  }

  /** Whether a message of the key with a payload was appended in the last seconds. */
  hasRecent(tx: EntityManager, orderingKey: string, seconds: number): Promise<boolean> {
    return hasRecent(tx, orderingKey, seconds);
  }

  /** How many messages of the topics wait that have no payload, and the age of the oldest. */
  countBacklog(topics: readonly string[]): Promise<{ waiting: number; oldestAgeSeconds: number }> {
    return countBacklog(this.em.fork(), topics);
  }

  /** The age of the oldest message of a key in seconds; 0 when none waits. */
  readOldestAge(orderingKey: string): Promise<number> {
    return readOldestAge(this.em.fork(), orderingKey);
  }

  /** The age of the oldest message of topics in seconds; 0 when none waits. */
  oldestAgeOfTopics(topics: readonly string[]): Promise<number> {
    return oldestAgeOfTopics(this.em.fork(), topics);
  }

  /** When a message of the key last became a dead letter; null: none is there. */
  findNewestDeadLetter(orderingKey: string): Promise<Date | null> {
    return findNewestDeadLetter(this.em.fork(), orderingKey);
  }

  /** Creates or replaces throttles in the caller's transaction. */
  async setThrottles(tx: EntityManager, throttles: readonly (ThrottleKey & ClaimThrottle)[]): Promise<void> {
    if (throttles.length > 0) await setThrottles(tx, throttles);
  }

  /** Deletes throttles in the caller's transaction; the commit wakes a worker. */
  async removeThrottles(tx: EntityManager, keys: readonly ThrottleKey[]): Promise<void> {
    if (keys.length === 0) return;
    await removeThrottles(tx, keys);
    this.notifyAfterCommit(tx);
  }

  /** Makes a throttled key claimable now, in the caller's transaction; the commit wakes a worker. */
  async allowClaim(tx: EntityManager, key: ThrottleKey): Promise<void> {
    if (await allowClaim(tx, key)) this.notifyAfterCommit(tx);
  }

  /** When a throttled key may be claimed next; null without a throttle. */
  nextClaimAt(key: ThrottleKey): Promise<Date | null> {
    return nextClaimAt(this.em.fork(), key);
  }

  /** When the oldest messages that could be claimed were appended: of each key at most `max`, oldest first. */
  oldestWaiting(
    tx: EntityManager,
    keys: readonly ThrottleKey[],
    max: number,
  ): Promise<(ThrottleKey & { createdAt: Date })[]> {
    return oldestWaiting(tx, keys, max);
  }

  /** When the oldest message of a topic of a key was appended, also one under way; null where there is none. */
  waitingSince(key: ThrottleKey, em: EntityManager): Promise<Date | null> {
    return waitingSince(em, key);
  }

  /** How many messages of a topic wait behind throttles, counted up to `max` behind each. */
  countThrottled(topic: string, max: number): Promise<number> {
    return countThrottled(this.em.fork(), topic, max);
  }

  private notifyAfterCommit(tx: EntityManager): void {
    const context = tx.getTransactionContext<object>();
    if (context) this.appending.add(context);
  }

  /**
   * Wakes a worker; for writes outside of ORM transactions, after the commit. Never waits, never throws. The poll
   * finds messages whose wake-up is lost.
   */
  notifyWorkers(): void {
    this.notifier.notify();
  }

  /**
   * As `notifyWorkers`, unless a worker polls after the commit anyway. `pollingMs` is the value of
   * `POLLING_MS_SQL` in the transaction, `elapsedMs` its age at most.
   */
  notifyUnlessPolling({ pollingMs, elapsedMs }: { pollingMs: number | null; elapsedMs: number }): void {
    if (pollingMs === null || pollingMs <= elapsedMs) this.notifyWorkers();
  }

  /** @throws Error if the topic has no handler. */
  handlerOf(topic: string): OutboxHandler {
    const handler = this.handlers.get(topic);
    if (!handler) throw new Error(`The outbox topic ${topic} has no handler.`);
    return handler;
  }

  /** The longest time that an attempt of any topic may take. */
  get attemptMaxMs(): number {
    return Math.max(0, ...[...this.handlers.values()].map(({ attemptMaxMs }) => attemptMaxMs));
  }

  /** The topics of this process that may have throttles. */
  get throttledTopics(): string[] {
    return this.topics.filter((topic) => this.handlerOf(topic).throttled);
  }

  /** The topics that this process handles; it claims no others. */
  get topics(): string[] {
    return [...this.handlers.keys()];
  }
}
