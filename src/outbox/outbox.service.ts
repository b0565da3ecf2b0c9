import { Injectable } from '@nestjs/common';
import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import type { NewOutboxMessage, OutboxHandler } from './outbox.types.js';

/** The door of the outbox: modules append messages, handlers sign up for topics. */
@Injectable()
export class OutboxService {
  private readonly handlers = new Map<string, OutboxHandler>();

  /**
   * Appends a message inside the caller's transaction: it exists exactly if the transaction commits.
   * @throws Error where `tx` is no transaction, or nobody handles the topic: both are bugs.
   */
  async append(tx: EntityManager, message: NewOutboxMessage): Promise<void> {
    if (!tx.isInTransaction()) throw new Error('An outbox message is appended inside a transaction only.');
    this.handlerOf(message.topic);
    await sql`
      insert into outbox_message (project_id, topic, subject_id, payload)
      values (${message.projectId}, ${message.topic}, ${message.subjectId},
              ${message.payload ? JSON.stringify(message.payload) : null}::jsonb)
    `.execute(tx.getKysely());
  }

  /** Signs a handler up for its topic; call it while modules start (`onModuleInit`). */
  register(handler: OutboxHandler): void {
    if (this.handlers.has(handler.topic)) throw new Error(`The topic ${handler.topic} has two handlers.`);
    this.handlers.set(handler.topic, handler);
  }

  /** @throws Error where nobody signed up for the topic. */
  handlerOf(topic: string): OutboxHandler {
    const handler = this.handlers.get(topic);
    if (!handler) throw new Error(`The outbox topic ${topic} has no handler.`);
    return handler;
  }
}
