import { Injectable } from '@nestjs/common';
import type { EntityManager } from '@mikro-orm/postgresql';

/** A project that has just been written, and the user who asked for it. */
export interface ProjectCreated {
  projectId: string;
  userId: string;
}

/**
 * The project events that a module subscribes to. Listeners with `tx` run inside the transaction of the change: their
 * writes commit with it, and an exception rolls it back. They make no network calls.
 */
export interface ProjectListener {
  /** The project's row is written. */
  created?(tx: EntityManager, created: ProjectCreated): Promise<void>;
  /** What is published of the project has changed, its domains or its controller; the project's row is held. */
  changed?(tx: EntityManager, projectId: string): Promise<void>;
  /** Another person is an owner, or an owner is not one anymore; the project's row is held. */
  ownersChanged?(tx: EntityManager, projectId: string): Promise<void>;
  /**
   * The project is about to be deleted but still exists: listeners with many rows delete them now, in separate
   * transactions. One over millions of rows would exceed every timeout and hold back the vacuum of the
   * whole database. If the deletion fails, the project can be deleted again.
   */
  beforeDeletion?(projectId: string): Promise<void>;
  /**
   * The project's row is deleted at the end of this transaction, with all rows that reference it by a foreign key;
   * listeners delete their rows that have none. The row is not locked yet, because a worker that settles messages
   * locks them before it locks the project; so listeners must not lock the project.
   */
  deleting?(tx: EntityManager, projectId: string): Promise<void>;
  /** The project's row is gone. What is appended to the outbox now stays there. */
  deleted?(tx: EntityManager, projectId: string): Promise<void>;
}

/** Project events for other modules. Projects doesn't know its listeners. */
@Injectable()
export class ProjectEvents {
  private readonly listeners: ProjectListener[] = [];

  /** Adds a listener; call it while modules start (`onModuleInit`). Listeners must not depend on their order. */
  listen(listener: ProjectListener): void {
    this.listeners.push(listener);
  }

  /** Calls all listeners of one event, one after the other. */
  async emit<Kind extends keyof ProjectListener>(
    kind: Kind,
    ...event: Parameters<Required<ProjectListener>[Kind]>
  ): Promise<void> {
    for (const listener of this.listeners) {
      const handler = listener[kind] as ((...args: typeof event) => Promise<void>) | undefined;
      await handler?.apply(listener, event);
    }
  }
}
