import { Module } from '@nestjs/common';
import { AccessModule } from '../access/access.module.js';
import { LicensingModule } from '../licensing/licensing.module.js';
import { ProjectsModule } from '../projects/projects.module.js';
import { ScanService } from './application/scan.service.js';
import { ScanController } from './http/scan.controller.js';

/** What owners see of scans. The scanner that visits the pages is a separate program (src/scanner.ts). */
@Module({
  imports: [AccessModule, LicensingModule, ProjectsModule],
  controllers: [ScanController],
  providers: [ScanService],
})
export class ScansModule {}
