import { Module } from '@nestjs/common';
import { LicensingModule } from '../licensing/licensing.module.js';
import { ProjectsModule } from '../projects/projects.module.js';
import { ConfigurationService } from './application/configuration.service.js';
import { DraftExpiry, DraftService } from './application/draft.service.js';
import { PresetUpdates } from './application/preset-updates.js';
import { PublicationLog } from './application/publication-log.js';
import { PublishSite } from './application/publish-site.js';
import { SiteChangeHandler } from './application/site-change-handler.js';
import { SiteReader, SiteSource } from './application/site-reader.js';
import { ConfigurationDrafts, ShownDocuments } from './site-configurations.js';
import { SiteStorage, StorageCircuitBreaker } from './infrastructure/site-storage.js';
import { PublishLock } from './infrastructure/publish-lock.js';
import { PublishingMetrics } from './infrastructure/publishing.metrics.js';

/** Publishes for the customer's site: its configuration and tier in object storage, and the loader. */
@Module({
  imports: [LicensingModule, ProjectsModule],
  providers: [
    ConfigurationService,
    DraftService,
    DraftExpiry,
    PresetUpdates,
    PublicationLog,
    SiteSource,
    SiteReader,
    PublishSite,
    SiteChangeHandler,
    SiteStorage,
    PublishLock,
    StorageCircuitBreaker,
    PublishingMetrics,
    ShownDocuments,
    ConfigurationDrafts,
  ],
  exports: [
    ShownDocuments,
    ConfigurationDrafts,
    ConfigurationService,
    DraftService,
    PublicationLog,
    SiteReader,
  ],
})
export class PublishingModule {}
