import { Module } from '@nestjs/common';
import { AccessModule } from '../../access/access.module.js';
import { ProjectController } from './project.controller.js';
import { ProjectStatusController } from './project-status.controller.js';
import { ProjectsModule } from '../projects.module.js';

/**
 * The project routes. They depend on access, and access depends on ProjectsModule: hence two
 * modules.
 */
@Module({
  imports: [AccessModule, ProjectsModule],
  controllers: [ProjectController, ProjectStatusController],
})
export class ProjectsHttpModule {}
