import { Module } from '@nestjs/common';
import { ProjectHooks } from './project.hooks.js';
import { ProjectStatusReader } from './project-status.reader.js';
import { ProjectService } from './project.service.js';
import { ProjectEvents } from './projects.events.js';

/** Projects for the other modules; their routes are in ProjectsHttpModule. */
@Module({
  providers: [ProjectEvents, ProjectHooks, ProjectService, ProjectStatusReader],
  exports: [ProjectEvents, ProjectHooks, ProjectService, ProjectStatusReader],
})
export class ProjectsModule {}
