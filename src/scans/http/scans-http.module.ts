import { Module } from '@nestjs/common';
import { AccessModule } from '../../access/access.module.js';
import { ScansModule } from '../scans.module.js';
import { CookieController } from './cookie.controller.js';
import { FindingController } from './finding.controller.js';
import { ScanAlertController } from './scan-alert.controller.js';
import { ScanDraftController } from './scan-draft.controller.js';
import { ScanProofController } from './scan-proof.controller.js';
import { ScanReportFiles } from './scan-report-files.js';
import { ScanReportController } from './scan-report.controller.js';
import { ScanScheduleController } from './scan-schedule.controller.js';
import { ScanController } from './scan.controller.js';
import { UnsubscribePageController } from './unsubscribe-page.controller.js';

/** The routes of scans. */
@Module({
  imports: [AccessModule, ScansModule],
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
  providers: [ScanReportFiles],
})
export class ScansHttpModule {}
