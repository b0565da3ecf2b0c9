import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { OutboxBell } from './infrastructure/outbox.bell.js';
import type { NewOutboxMessage } from './domain/outbox-message.js';
import type { OutboxHandler } from './outbox.handler.js';

/** The door of the outbox: modules append messages, handlers sign up for topics. */
@Injectable()
export class OutboxService implements OnApplicationBootstrap {
  private readonly handlers = new Map<string, OutboxHandler>();
  private readonly announced = new Set<string>();

  constructor(@Inject(OutboxBell) private readonly bell: Pick<OutboxBell, 'ring'>) {}

  /** Says that messages of a topic will be appended; call it while modules start (`onModuleInit`). */
  announce(topic: string): void {
    this.announced.add(topic);
  }

  /** Signs a handler up for its topics; call it while modules start (`onModuleInit`). */
  register(handler: OutboxHandler): void {
    for (const topic of handler.topics) {
      if (this.handlers.has(topic)) throw new Error(`The topic ${topic} has two handlers.`);
      this.handlers.set(topic, handler);
    }
  }

  /** A topic that is written and that nobody reads would pile up in silence: the start fails instead. */
  onApplicationBootstrap(): void {
    for (const topic of this.announced) this.handlerOf(topic);
  }

  /**
   * Appends a message inside the caller's transaction: it exists exactly if the transaction commits. Ring
   * after the commit.
   * @throws Error where `tx` is no transaction, or nobody handles the topic: both are bugs.
   */
  async append(tx: EntityManager, message: NewOutboxMessage): Promise<void> {
    if (!tx.isInTransaction()) throw new Error('An outbox message is appended inside a transaction only.');
    // The start has seen to it that announced topics are handled, here or in another process.
    if (!this.announced.has(message.topic)) this.handlerOf(message.topic);
    await sql`
      insert into outbox_message (project_id, topic, subject_id, payload)
      values (${message.projectId}, ${message.topic}, ${message.subjectId},
              ${message.payload ? JSON.stringify(message.payload) : null}::jsonb)
    `.execute(tx.getKysely());
  }

  /** Wakes a worker after a commit; never waits, never throws. A lost ring is made up for by the poll. */
  ring(): void {
    this.bell.ring();
  }

  /** @throws Error where nobody signed up for the topic. */
  handlerOf(topic: string): OutboxHandler {
    const handler = this.handlers.get(topic);
    if (!handler) throw new Error(`The outbox topic ${topic} has no handler.`);
    return handler;
  }

  /** The topics that this process handles; it claims no others. */
  get topics(): string[] {
    return [...this.handlers.keys()];
  }
}
