import { Injectable, type OnModuleInit } from '@nestjs/common';
import { EntityManager } from '@mikro-orm/postgresql';
import { ProjectEvents } from '../../projects/projects.events.js';
import { deleteProjectRecords } from '../infrastructure/erasure.rows.js';

/** Records deleted in one transaction: a project may hold millions, and each holds back the vacuum until it ends. */
const DELETE_BATCH_MAX = 10_000;

/**
 * A deleted project's records go with it; `consent_record` has no foreign key to the project, whose check the ingest
 * would pay for. A record whose ingest is under way in the very moment of the commit stays until its retention ends.
 */
@Injectable()
export class DeleteProjectRecords implements OnModuleInit {
  constructor(
    private readonly em: EntityManager,
    private readonly projects: ProjectEvents,
  ) {}

  onModuleInit(): void {
    this.projects.listen({
      beforeDeletion: (projectId) => this.deleteInBatches(projectId),
      // Only the few records received since the last batch.
      deleting: async (tx, projectId) => {
        await deleteProjectRecords(tx, projectId);
      },
    });
  }

  private async deleteInBatches(projectId: string): Promise<void> {
    const em = this.em.fork();
    let deleted: number;
    do {
      deleted = await deleteProjectRecords(em, projectId, DELETE_BATCH_MAX);
    } while (deleted === DELETE_BATCH_MAX);
  }
}
