import { Injectable, type OnModuleInit } from '@nestjs/common';
import { ProjectEvents } from '../../projects/projects.events.js';
import { forwardingTables } from '../infrastructure/forwarding.tables.js';

/** A deleted project's deliveries go with it: `delivery` has no foreign key, whose check each attempt would pay for. */
@Injectable()
export class DeleteProjectDeliveries implements OnModuleInit {
  constructor(private readonly projects: ProjectEvents) {}

  onModuleInit(): void {
    this.projects.listen({
      deleting: async (tx, projectId) => {
        await forwardingTables(tx).deleteFrom('delivery').where('projectId', '=', projectId).execute();
      },
    });
  }
}
