import type { IncomingMessage, ServerResponse } from 'node:http';
import { Module, type OnModuleInit } from '@nestjs/common';
import { AccessModule } from '../access/access.module.js';
import { ConsentAnalytics } from './application/consent-analytics.js';
import { ConsentExport } from './application/consent-export.js';
import { ConsentOverview } from './application/consent-overview.js';
import { RecordsToday } from './application/records-today.js';
import { ConsentReader } from './application/consent.reader.js';
import { ConsentService } from './application/consent.service.js';
import { DeleteProjectRecords } from './application/delete-project-records.js';
import { ConsentHooks } from './consent.hooks.js';
import { ConsentRecords } from './consent.records.js';
import { ForwardingAnnouncer } from './forwarding-announcer.js';
import { ConsentRollup } from './application/consent.rollup.js';
import { AnalyticsController } from './http/analytics.controller.js';
import { ConsentController } from './http/consent.controller.js';
import { ExportController } from './http/export.controller.js';
import { IngestEndpoint } from './http/ingest.endpoint.js';
import { IngestRateLimiter } from './http/ingest-rate-limiter.js';
import { ProjectsModule } from '../projects/projects.module.js';
import type { HttpMount } from '../http/http-mount.js';
import { RecordRetention } from './record-retention.js';
import { PartitionMaintenance } from '../database/partition-maintenance.js';
import { CONSENT_RECORDS } from './infrastructure/consent.partitions.js';
import { EraseRecords } from './application/erase-records.js';
import { ErasureService } from './application/erasure.service.js';
import { VisitorIndex } from './application/visitor-index.js';
import { PrivacySettingsService } from './application/privacy-settings.service.js';
import { RecordsPdf } from './http/records-pdf.js';
import { PrivacyController } from './http/privacy.controller.js';
import { ConsentWriter } from './infrastructure/consent-writer.js';
import { IngestMetrics } from './http/ingest.metrics.js';
import { VisitorController } from './http/visitor.controller.js';
import { VisitorEndpoint } from './http/visitor.endpoint.js';
import { VisitorRateLimiter } from './http/visitor-rate-limiter.js';
import { VisitorMetrics } from './http/visitor.metrics.js';
import { SummarizeVisitorErasures } from './application/visitor-erasure-audit.js';
import { VisitorErasure } from './application/visitor-erasure.js';
import { VisitorRights } from './application/visitor-rights.js';
import { ConsentWriterMetrics } from './infrastructure/consent-writer.metrics.js';

@Module({
  imports: [AccessModule, ProjectsModule],
  controllers: [
    ExportController,
    ConsentController,
    AnalyticsController,
    PrivacyController,
    VisitorController,
  ],
  providers: [
    ConsentHooks,
    ConsentRecords,
    ForwardingAnnouncer,
    RecordRetention,
    ConsentService,
    ConsentReader,
    ConsentWriter,
    DeleteProjectRecords,
    IngestEndpoint,
    IngestRateLimiter,
    ConsentWriterMetrics,
    IngestMetrics,
    RecordsPdf,
    ConsentRollup,
    ConsentAnalytics,
    ConsentOverview,
    RecordsToday,
    ConsentExport,
    EraseRecords,
    ErasureService,
    PrivacySettingsService,
    VisitorIndex,
    VisitorRights,
    VisitorErasure,
    SummarizeVisitorErasures,
    VisitorEndpoint,
    VisitorRateLimiter,
    VisitorMetrics,
  ],
  exports: [ConsentHooks, ConsentRecords, ForwardingAnnouncer, RecordRetention],
})
export class ConsentModule implements HttpMount, OnModuleInit {
  constructor(
    private readonly ingest: IngestEndpoint,
    private readonly visitors: VisitorEndpoint,
    private readonly partitions: PartitionMaintenance,
    private readonly retention: RecordRetention,
  ) {}

  async onModuleInit(): Promise<void> {
    await this.partitions.register(CONSENT_RECORDS, (now) => this.retention.keptSince(now));
  }

  takeRequest(request: IncomingMessage, response: ServerResponse): boolean {
    return this.ingest.take(request, response) || this.visitors.take(request, response);
  }
}
