import { Module } from '@nestjs/common';
import { AccessModule } from '../../access/access.module.js';
import { ProjectController } from './project.controller.js';
import { ProjectsModule } from '../projects.module.js';

/** The routes of projects. They ask access who may do what, and access asks ProjectsModule: hence two modules. */
@Module({ imports: [AccessModule, ProjectsModule], controllers: [ProjectController] })
export class ProjectsHttpModule {}
