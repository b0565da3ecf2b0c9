import { Module } from '@nestjs/common';
import { AccessModule } from '../../access/access.module.js';
import { PublishingModule } from '../publishing.module.js';
import { CdnController } from './cdn.controller.js';
import { ConfigurationController } from './configuration.controller.js';
import { DraftController } from './draft.controller.js';
import { PublicationController } from './publication.controller.js';

/** The routes of the configuration, and what websites load. */
@Module({
  imports: [AccessModule, PublishingModule],
  controllers: [ConfigurationController, DraftController, PublicationController, CdnController],
})
export class PublishingHttpModule {}
