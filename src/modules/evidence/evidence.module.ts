import { Global, Module, type OnModuleInit } from '@nestjs/common';
import { ConsentModule } from '../consent/consent.module.js';
import { RecordRetention } from '../consent/consent.records.js';
import { PartitionMaintenance } from '../../platform/database/partitions.js';
import { ProjectsModule } from '../projects/projects.module.js';
import { PublishingModule } from '../publishing/publishing.module.js';
import { DailyCheck, KeyRollover, LogMaintenance } from './application/log-maintenance.js';
import { CheckpointHandler, CheckpointPublisher } from './application/checkpoint-publisher.js';
import { LogReader, PublishedKeys } from './application/log-reader.js';
import { LogSigner } from './application/log-signer.js';
import { CopyDetector } from './application/copy-detector.js';
import { ProofPages } from './application/proof-pages.js';
import { Proofs, RecordProofs } from './application/proofs.js';
import { Sequencer, SequencerHandler } from './application/sequencer.js';
import { AnchorCheckpoints } from './application/anchor-checkpoints.js';
import { EvidenceState } from './application/evidence-state.js';
import { CheckpointGuard } from './application/checkpoint-guard.js';
import { SignedViews } from './application/signed-view.js';
import { RootTimestamper, TimestampHandler, Timestamps } from './application/root-timestamper.js';
import { EvidenceService } from './evidence.service.js';
import { LogEntries } from './log-entries.js';
import { EvidenceMetrics } from './infrastructure/evidence.metrics.js';
import { HeadCopies, LogStorage } from './infrastructure/log-storage.js';
import { EVIDENCE_LEAVES, LeafPartitions } from './infrastructure/leaf.rows.js';

/** Adds stored records to logs that others can verify: commitments, trees, signed checkpoints, proofs. */
@Global()
@Module({
  imports: [ConsentModule, ProjectsModule, PublishingModule],
  providers: [
    EvidenceService,
    LogEntries,
    DailyCheck,
    LogMaintenance,
    CopyDetector,
    SequencerHandler,
    Sequencer,
    AnchorCheckpoints,
    CheckpointHandler,
    CheckpointPublisher,
    CheckpointGuard,
    TimestampHandler,
    RootTimestamper,
    Timestamps,
    LogSigner,
    KeyRollover,
    LogReader,
    SignedViews,
    Proofs,
    ProofPages,
    RecordProofs,
    PublishedKeys,
    EvidenceState,
    LogStorage,
    HeadCopies,
    LeafPartitions,
    EvidenceMetrics,
  ],
  exports: [
    EvidenceService,
    LogEntries,
    Proofs,
    ProofPages,
    LogReader,
    EvidenceState,
    PublishedKeys,
    Timestamps,
  ],
})
export class EvidenceModule implements OnModuleInit {
  constructor(
    private readonly partitions: PartitionMaintenance,
    private readonly retention: RecordRetention,
  ) {}

  async onModuleInit(): Promise<void> {
    await this.partitions.register(EVIDENCE_LEAVES, (now) => this.retention.keptSince(now));
  }
}
