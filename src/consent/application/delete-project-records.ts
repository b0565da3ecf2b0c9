import { Injectable, type OnModuleInit } from '@nestjs/common';
import { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { ProjectEvents } from '../../projects/projects.events.js';

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
        await sql`delete from consent_record where project_id = ${projectId}`.execute(tx.getKysely());
      },
    });
  }

  private async deleteInBatches(projectId: string): Promise<void> {
    const kysely = this.em.fork().getKysely();
    let deleted: number;
    do {
      const { numAffectedRows } = await sql`
        with doomed as (
          select project_id, id from consent_record where project_id = ${projectId}
          order by id limit ${DELETE_BATCH_MAX}
        )
        delete from consent_record using doomed
        where consent_record.project_id = doomed.project_id and consent_record.id = doomed.id
      `.execute(kysely);
      deleted = Number(numAffectedRows ?? 0);
    } while (deleted === DELETE_BATCH_MAX);
  }
}
