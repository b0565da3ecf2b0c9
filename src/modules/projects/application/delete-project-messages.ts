import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { EntityManager } from '@mikro-orm/postgresql';
import { deleteOfProject } from '../../../platform/outbox/queued-messages.js';
import { ProjectEvents, type ProjectListener } from '../projects.events.js';

/** Deletes the messages of a project that is being deleted. */
@Injectable()
export class DeleteProjectMessages implements ProjectListener, OnModuleInit {
  constructor(private readonly projects: ProjectEvents) {}

  onModuleInit(): void {
    this.projects.listen(this);
  }

  /** Before the project's row is locked: the lock order of workers that settle messages. */
  deleting(tx: EntityManager, projectId: string): Promise<void> {
    return deleteOfProject(tx, projectId);
  }
}
