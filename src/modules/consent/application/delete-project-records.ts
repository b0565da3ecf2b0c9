import { Injectable, type OnModuleInit } from '@nestjs/common';
import { EntityManager } from '@mikro-orm/postgresql';
import { ProjectEvents } from '../../projects/projects.events.js';
import { deleteProjectRecords } from '../infrastructure/erasure.rows.js';

/**
 * Records deleted per transaction: a project may have millions, and a long transaction holds back
 * vacuum.
 */
const DELETE_BATCH_MAX = 10_000;

/**
 * Deletes the records of a deleted project. `consent_record` has no foreign key to the project,
 * because the ingest would pay for its check. A record whose ingest commits at the same moment
 * stays until its retention ends.
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
