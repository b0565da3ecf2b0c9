import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleInit } from '@nestjs/common';
import { EntityManager } from '@mikro-orm/postgresql';
import { insertMessages } from './outbox.sql.js';
import { deleteAbout } from './queued-messages.js';
import type { NewOutboxMessage } from './domain/outbox-message.js';
import type { OutboxHandler } from './outbox.handler.js';

/** Notifies the workers of queued messages; an interface, so that threads need not load BullMQ. */
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

  /** Appends messages in one statement, in order; otherwise like `append`. */
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

  /** Wakes a worker when the caller's transaction commits. */
  notifyAfterCommit(tx: EntityManager): void {
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
   * Like `notifyWorkers`, unless a worker polls after the commit anyway. `pollingMs` is the value
   * of `POLLING_MS_SQL` in the transaction, `elapsedMs` its age at most.
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

  /** Longest duration of an attempt of any topic. */
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
