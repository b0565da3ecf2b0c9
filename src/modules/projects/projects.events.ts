import { Injectable } from '@nestjs/common';
import type { EntityManager } from '@mikro-orm/postgresql';

/** A newly created project, and the user who created it. */
export interface ProjectCreated {
  projectId: string;
  userId: string;
  /** null: it belongs to no organization. */
  organizationId: string | null;
}

/** A person who lost their role on some projects, unless they have another one. */
interface MembersLeft {
  userId: string;
  projectIds: readonly string[];
}

/**
 * The project events that a module subscribes to. Listeners with `tx` run inside the transaction of the change: their
 * writes commit with it, and an exception rolls it back. They make no network calls.
 */
export interface ProjectListener {
  /** A user is about to create a project; listeners may refuse. */
  creating?(tx: EntityManager, creator: Omit<ProjectCreated, 'projectId'>): Promise<void>;
  /** The project's row was inserted. */
  created?(tx: EntityManager, created: ProjectCreated): Promise<void>;
  /**
   * The domains or the controller of the project changed, so its published files do too; the
   * project's row is locked.
   */
  changed?(tx: EntityManager, projectId: string): Promise<void>;
  /** A membership ended in this transaction. */
  membersLeft?(tx: EntityManager, left: MembersLeft): Promise<void>;
  /** The owners of the project changed; the project's row is locked. */
  ownersChanged?(tx: EntityManager, projectId: string): Promise<void>;
  /**
   * The project is about to be deleted but still exists: listeners with many rows delete them now,
   * in separate transactions. A single one over millions of rows would exceed every timeout and
   * hold back the vacuum of the whole database. If the deletion fails, the project can be deleted
   * again.
   */
  beforeDeletion?(projectId: string): Promise<void>;
  /**
   * The project's row is deleted at the end of this transaction, with all rows that reference it by
   * a foreign key; listeners delete their rows that have none. The row is not locked yet, because a
   * worker that settles messages locks them before it locks the project; so listeners must not lock
   * the project.
   */
  deleting?(tx: EntityManager, projectId: string): Promise<void>;
  /** The project's row is deleted. Messages appended to the outbox now are kept. */
  deleted?(tx: EntityManager, projectId: string): Promise<void>;
}

/** Project events for other modules. Projects doesn't import its listeners. */
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
