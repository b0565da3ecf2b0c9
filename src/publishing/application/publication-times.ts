import { Injectable, type OnModuleInit } from '@nestjs/common';
import { EntityManager } from '@mikro-orm/postgresql';
import { ProjectHooks } from '../../projects/project.hooks.js';
import { lastPublishedOf } from '../infrastructure/publication.rows.js';

/** When the banners of a list of projects were last published. */
@Injectable()
export class PublicationTimes implements OnModuleInit {
  constructor(
    private readonly em: EntityManager,
    private readonly projects: ProjectHooks,
  ) {}

  onModuleInit(): void {
    this.projects.set({ readLastPublished: (ids) => lastPublishedOf(this.em.fork(), ids) });
  }
}
