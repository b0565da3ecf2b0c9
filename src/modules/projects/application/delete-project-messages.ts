import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { EntityManager } from '@mikro-orm/postgresql';
import { ProjectEvents, type ProjectListener } from '../../projects/projects.events.js';
import { deleteOfProject } from '../infrastructure/waiting-messages.js';

/** Deletes the messages of a project that is being deleted. */
@Injectable()
export class DeleteProjectMessages implements ProjectListener, OnModuleInit {
  constructor(private readonly projects: ProjectEvents) {}

  onModuleInit(): void {
    this.projects.listen(this);
  }

  /** Before the project's row is locked, as a worker that settles messages takes its locks. */
  deleting(tx: EntityManager, projectId: string): Promise<void> {
    return deleteOfProject(tx, projectId);
  }
}
