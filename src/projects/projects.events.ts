import { Injectable } from '@nestjs/common';
import type { EntityManager } from '@mikro-orm/postgresql';

/** A project that has just been written, and the user who asked for it. */
export interface ProjectCreated {
  projectId: string;
  userId: string;
}

/**
 * What a module wants to hear of projects. What takes `tx` is told inside the transaction that does it: what it
 * writes exists exactly if the change does, and what it throws refuses the change. Nothing is sent from there.
 */
export interface ProjectListener {
  /** The project's row is written. */
  created?(tx: EntityManager, created: ProjectCreated): Promise<void>;
  /** The domains have changed; the project's row is held. */
  changed?(tx: EntityManager, projectId: string): Promise<void>;
  /**
   * The project is about to be deleted, and is still there for everybody: who holds much of it takes it away now, in
   * transactions of its own. One over millions of rows would outlive every timeout and hold back the vacuum of the
   * whole database. If the deletion breaks off, the project can be deleted again.
   */
  beforeDeletion?(projectId: string): Promise<void>;
  /**
   * The project's row goes at the end of this transaction's statements, and what refers to it by a foreign key with
   * it: each deletes its own rows that have none. The row is not held yet, because a worker that settles messages
   * locks them before it locks the project; so nobody may lock the project here.
   */
  deleting?(tx: EntityManager, projectId: string): Promise<void>;
  /** The project's row is gone. What is appended to the outbox now stays there. */
  deleted?(tx: EntityManager, projectId: string): Promise<void>;
}

/** The door of projects for those who follow them; it does not know who they are. */
@Injectable()
export class ProjectEvents {
  private readonly listeners: ProjectListener[] = [];

  /** Signs somebody up; call it while modules start (`onModuleInit`). No listener may depend on another's turn. */
  listen(listener: ProjectListener): void {
    this.listeners.push(listener);
  }

  /** Tells all listeners of one kind of news, one after the other. */
  async tell<Kind extends keyof ProjectListener>(
    kind: Kind,
    ...news: Parameters<Required<ProjectListener>[Kind]>
  ): Promise<void> {
    for (const listener of this.listeners) {
      const hear = listener[kind] as ((...told: typeof news) => Promise<void>) | undefined;
      await hear?.apply(listener, news);
    }
  }
}
