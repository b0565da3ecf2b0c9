import { Module } from '@nestjs/common';
import { AccessModule } from '../access/access.module.js';
import { LicensingModule } from '../licensing/licensing.module.js';
import { ProjectsModule } from '../projects/projects.module.js';
import { PublishingModule } from '../publishing/publishing.module.js';
import { CookieService } from './application/cookie.service.js';
import { FindingService } from './application/finding.service.js';
import { ScanAlerts } from './application/scan-alerts.js';
import { ScanDraftService } from './application/scan-draft.service.js';
import { ScanReportPages } from './application/scan-report-pages.js';
import { ScanReportService } from './application/scan-report.service.js';
import { ScanRetention } from './application/scan-retention.js';
import { ScanProofService } from './application/scan-proof.service.js';
import { ScanFinishedHandler } from './application/scan-finished-handler.js';
import { ScanRequests } from './application/scan-requests.js';
import { ScanService } from './application/scan.service.js';
import { ScanScheduleService, ScheduledScans } from './application/scan-schedule.service.js';
import { ScanMetrics } from './infrastructure/scan.metrics.js';

/** Scans for owners. The scanner that visits the pages is a separate program (src/scanner.ts). */
@Module({
  imports: [AccessModule, LicensingModule, ProjectsModule, PublishingModule],
  providers: [
    ScanRequests,
    ScanService,
    ScanScheduleService,
    ScheduledScans,
    FindingService,
    CookieService,
    ScanDraftService,
    ScanProofService,
    ScanReportService,
    ScanReportPages,
    ScanRetention,
    ScanAlerts,
    ScanFinishedHandler,
    ScanMetrics,
  ],
  exports: [
    CookieService,
    FindingService,
    ScanAlerts,
    ScanDraftService,
    ScanProofService,
    ScanReportService,
    ScanReportPages,
    ScanScheduleService,
    ScanService,
    ScanRequests,
  ],
})
export class ScansModule {}
