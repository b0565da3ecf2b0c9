import { Injectable, type OnModuleInit } from '@nestjs/common';
import { ProjectEvents } from '../../projects/projects.events.js';
import { deleteDeliveries } from '../infrastructure/delivery.rows.js';
import { deleteProjectRetries } from '../infrastructure/retry.rows.js';

/**
 * Deletes a project's deliveries and retries when the project is deleted. Their tables have no
 * foreign key, because its check would slow down settlement.
 */
@Injectable()
export class DeleteProjectDeliveries implements OnModuleInit {
  constructor(private readonly projects: ProjectEvents) {}

  onModuleInit(): void {
    this.projects.listen({
      deleting: async (tx, projectId) => {
        await deleteProjectRetries(tx, projectId);
        await deleteDeliveries(tx, projectId);
      },
    });
  }
}
