import { Injectable, type OnModuleInit } from '@nestjs/common';
import { sql } from 'kysely';
import { ProjectEvents } from '../../projects/projects.events.js';

/** A deleted project's deliveries go with it: `delivery` has no foreign key, whose check each attempt would pay for. */
@Injectable()
export class DeleteProjectDeliveries implements OnModuleInit {
  constructor(private readonly projects: ProjectEvents) {}

  onModuleInit(): void {
    this.projects.listen({
      deleting: async (tx, projectId) => {
        await sql`delete from delivery where project_id = ${projectId}`.execute(tx.getKysely());
      },
    });
  }
}
