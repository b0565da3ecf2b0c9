import { Module, type OnModuleInit } from '@nestjs/common';
import { ConsentAnalytics, ConsentOverview } from './application/consent-analytics.js';
import { ConsentExport } from './application/consent-export.js';
import { ConsentReader } from './application/consent.reader.js';
import { ConsentService } from './application/consent.service.js';
import { DeleteProjectRecords, EraseRecords } from './application/erase-records.js';
import { ConsentHooks } from './consent.hooks.js';
import { ConsentRecords, RecordRetention } from './consent.records.js';
import { ForwardingAnnouncer } from './forwarding-announcer.js';
import { ImportedRecords } from './imported-records.js';
import { ConsentRollup } from './application/consent.rollup.js';
import { ProjectsModule } from '../projects/projects.module.js';
import { PartitionMaintenance } from '../../platform/database/partitions.js';
import { CONSENT_RECORDS, ConsentWriter, ConsentWriterMetrics } from './infrastructure/consent-writer.js';
import { ErasureService, SummarizeVisitorErasures, VisitorErasure } from './application/erasure.service.js';
import { PrivacySettingsService, VisitorIndex } from './application/privacy-settings.service.js';
import { VisitorRights } from './application/visitor-rights.js';

/** Consent records: stored, read, counted, exported and erased. */
@Module({
  imports: [ProjectsModule],
  providers: [
    ConsentHooks,
    ConsentRecords,
    ForwardingAnnouncer,
    ImportedRecords,
    RecordRetention,
    ConsentService,
    ConsentReader,
    ConsentWriter,
    DeleteProjectRecords,
    ConsentWriterMetrics,
    ConsentRollup,
    ConsentAnalytics,
    ConsentOverview,
    ConsentExport,
    EraseRecords,
    ErasureService,
    PrivacySettingsService,
    VisitorIndex,
    VisitorRights,
    VisitorErasure,
    SummarizeVisitorErasures,
  ],
  exports: [
    ConsentHooks,
    ConsentRecords,
    ForwardingAnnouncer,
    ImportedRecords,
    RecordRetention,
    ConsentAnalytics,
    ConsentOverview,
    ConsentReader,
    ConsentService,
    ConsentExport,
    ErasureService,
    PrivacySettingsService,
    VisitorIndex,
    VisitorRights,
  ],
})
export class ConsentModule implements OnModuleInit {
  constructor(
    private readonly partitions: PartitionMaintenance,
    private readonly retention: RecordRetention,
  ) {}

  async onModuleInit(): Promise<void> {
    await this.partitions.register(CONSENT_RECORDS, (now) => this.retention.keptSince(now));
  }
}
