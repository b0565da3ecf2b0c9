import { Module } from '@nestjs/common';
import { AccessModule } from '../access/access.module.js';
import { ConsentModule } from '../consent/consent.module.js';
import { ProjectsModule } from '../projects/projects.module.js';
import { RefusedRows } from './application/import-reader.js';
import { ImportCleanup, ImportService } from './application/import.service.js';
import { ImportWorker } from './application/import-worker.js';
import { ImportStorage } from './infrastructure/import-storage.js';

/** Imports of consents that another product collected. */
@Module({
  imports: [AccessModule, ConsentModule, ProjectsModule],
  providers: [ImportStorage, ImportService, ImportWorker, ImportCleanup, RefusedRows],
  exports: [ImportService, RefusedRows],
})
export class ImportsModule {}
