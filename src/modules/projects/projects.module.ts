import { Module } from '@nestjs/common';
import { DeleteProjectMessages } from './application/delete-project-messages.js';
import { ProjectService } from './project.service.js';
import { ProjectEvents } from './projects.events.js';

@Module({
  providers: [DeleteProjectMessages, ProjectEvents, ProjectService],
  exports: [ProjectEvents, ProjectService],
})
export class ProjectsModule {}
