import { Injectable, type OnModuleInit } from '@nestjs/common';
import { ProjectEvents } from '../../projects/projects.events.js';
import { deleteDeliveries } from '../infrastructure/delivery.rows.js';

/** Deletes a project's deliveries with it. `delivery` has no foreign key, because its check would slow down settlement. */
@Injectable()
export class DeleteProjectDeliveries implements OnModuleInit {
  constructor(private readonly projects: ProjectEvents) {}

  onModuleInit(): void {
    this.projects.listen({
      deleting: (tx, projectId) => deleteDeliveries(tx, projectId),
    });
  }
}
