import { Module } from '@nestjs/common';
import { ProjectService } from './project.service.js';
import { ProjectEvents } from './projects.events.js';

/** Projects for the other modules; their routes are in ProjectsHttpModule. */
@Module({ providers: [ProjectEvents, ProjectService], exports: [ProjectEvents, ProjectService] })
export class ProjectsModule {}
