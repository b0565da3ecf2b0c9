import { Global, Module, type OnModuleInit } from '@nestjs/common';
import { ConsentModule } from '../consent/consent.module.js';
import { RecordRetention } from '../consent/consent.records.js';
import { PartitionMaintenance } from '../../platform/database/partitions.js';
import { ProjectsModule } from '../projects/projects.module.js';
import { PublishingModule } from '../publishing/publishing.module.js';
import { DailyCheck } from './application/daily-check.js';
import { LogMaintenance } from './application/log-maintenance.js';
import { CheckpointHandler } from './application/checkpoint-handler.js';
import { LogReader } from './application/log-reader.js';
import { LogSigner } from './application/log-signer.js';
import { CopyDetector } from './application/copy-detector.js';
import { ProofPages } from './application/proof-pages.js';
import { Proofs } from './application/proofs.js';
import { RecordProofs } from './application/record-proofs.js';
import { PublishedKeys } from './application/published-keys.js';
import { SequencerHandler } from './application/sequencer-handler.js';
import { AnchorCheckpoints } from './application/anchor-checkpoints.js';
import { Sequencer } from './application/sequencer.js';
import { EvidenceState } from './application/evidence-state.js';
import { CheckpointGuard } from './application/checkpoint-guard.js';
import { CheckpointPublisher } from './application/checkpoint-publisher.js';
import { SignedViews } from './application/signed-view.js';
import { TimestampHandler } from './application/timestamp-handler.js';
import { RootTimestamper } from './application/root-timestamper.js';
import { KeyRollover } from './application/key-rollover.js';
import { Timestamps } from './application/timestamps.js';
import { EvidenceService } from './evidence.service.js';
import { LogEntries } from './log-entries.js';
import { EvidenceMetrics } from './infrastructure/evidence.metrics.js';
import { HeadCopies } from './infrastructure/head-copies.js';
import { EVIDENCE_LEAVES, LeafPartitions } from './infrastructure/leaf-partitions.js';
import { LogStorage } from './infrastructure/log-storage.js';

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
