import { Module } from '@nestjs/common';
import { AccessModule } from '../../access/access.module.js';
import { LogController } from './log.controller.js';
import { ProofFiles } from './proof-files.js';
import { RootLogController } from './root-log.controller.js';

/** The routes of the logs and their proofs. EvidenceModule is global. */
@Module({
  imports: [AccessModule],
  controllers: [LogController, RootLogController],
  providers: [ProofFiles],
})
export class EvidenceHttpModule {}
