import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { type DatabaseSettings, databaseSettings } from '../../database/database.settings.js';
import { OutboxService } from '../../outbox/outbox.service.js';
import { InjectSettings } from '../../settings/inject-settings.js';
import { type ServiceSettings, serviceSettings } from '../../settings/service.settings.js';
import { DomainError } from '../../shared/domain-error.js';
import { ThreadPool } from '../../shared/thread-pool.js';
import { type EvidenceSettings, evidenceSettings } from '../evidence.settings.js';
import type { BatchSequencer } from './sequencer.js';

/** Longer than any statement of a batch may take (`allowMaintenanceTime`). */
const BATCH_TIMEOUT_MS = 15 * 60_000;

/** What the thread needs to sequence a batch. */
export interface SequencerTask {
  databaseUrl: string;
  evidence: EvidenceSettings;
  service: ServiceSettings;
}

export interface SequencedBatch {
  /** As `sequenceBatch` returns it. */
  isMore: boolean;
  /** Whether the batch appended outbox messages. */
  hasAppended: boolean;
}

/**
 * Sequences batches on a separate thread: hashing thousands of records takes so long that the worker's main
 * thread would deliver records late (ADR 49).
 */
@Injectable()
export class SequencerThread implements BatchSequencer, OnApplicationShutdown {
  private readonly task: SequencerTask;
  private readonly thread = new ThreadPool<SequencerTask, SequencedBatch>(
    new URL('./sequencer-program.js', import.meta.url),
    {
      name: 'sequencer',
      threads: 1,
      waitingMax: 1,
      taskMaxMs: BATCH_TIMEOUT_MS,
      refusal: () => new DomainError('overloaded', 'The sequencer is busy.'),
    },
  );

  constructor(
    private readonly outbox: OutboxService,
    @InjectSettings(databaseSettings) { databaseUrl }: DatabaseSettings,
    @InjectSettings(evidenceSettings) evidence: EvidenceSettings,
    @InjectSettings(serviceSettings) service: ServiceSettings,
  ) {
    // The thread does not sign, so it gets no key.
    this.task = { databaseUrl, evidence: { ...evidence, keys: [] }, service };
  }

  async sequenceBatch(): Promise<boolean> {
    const { isMore, hasAppended } = await this.thread.run(this.task);
    if (hasAppended) this.outbox.notifyWorkers();
    return isMore;
  }

  async onApplicationShutdown(): Promise<void> {
    await this.thread.close();
  }
}
