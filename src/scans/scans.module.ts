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
import { CookieController } from './http/cookie.controller.js';
import { FindingController } from './http/finding.controller.js';
import { ScanScheduleService } from './application/scan-schedule.service.js';
import { ScheduledScans } from './application/scheduled-scans.js';
import { ScanAlertController } from './http/scan-alert.controller.js';
import { ScanDraftController } from './http/scan-draft.controller.js';
import { ScanReportFiles } from './http/scan-report-files.js';
import { ScanReportController } from './http/scan-report.controller.js';
import { ScanProofController } from './http/scan-proof.controller.js';
import { ScanScheduleController } from './http/scan-schedule.controller.js';
import { ScanController } from './http/scan.controller.js';
import { UnsubscribePageController } from './http/unsubscribe-page.controller.js';
import { ScanMetrics } from './infrastructure/scan.metrics.js';

/** What owners see of scans. The scanner that visits the pages is a separate program (src/scanner.ts). */
@Module({
  imports: [AccessModule, LicensingModule, ProjectsModule, PublishingModule],
  controllers: [
    ScanController,
    ScanScheduleController,
    FindingController,
    CookieController,
    ScanDraftController,
    ScanProofController,
    ScanReportController,
    ScanAlertController,
    UnsubscribePageController,
  ],
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
    ScanReportFiles,
    ScanRetention,
    ScanAlerts,
    ScanFinishedHandler,
    ScanMetrics,
  ],
})
export class ScansModule {}
