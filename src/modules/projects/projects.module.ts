import { Module } from '@nestjs/common';
import { DeleteProjectMessages, ProjectService } from './project.service.js';
import { ProjectEvents } from './projects.events.js';

@Module({
  providers: [DeleteProjectMessages, ProjectEvents, ProjectService],
  exports: [ProjectEvents, ProjectService],
})
export class ProjectsModule {}
