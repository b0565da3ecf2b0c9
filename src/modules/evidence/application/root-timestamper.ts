import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { DomainError } from '../../../platform/errors/domain-error.js';
import { backgroundJob, DONE } from '../../../platform/outbox/outbox.handler.js';
import type { AttemptResult, OutboxMessage } from '../../../platform/outbox/domain/outbox-message.js';
import { OutboxService } from '../../../platform/outbox/outbox.service.js';
import { InjectSettings } from '../../../platform/settings/inject-settings.js';
import { STORAGE_TIMEOUT_MAX_MS } from '../../../platform/storage/object-storage.js';
import { backOffMs, type BackOff } from '../../../platform/time/back-off.js';
import { ROOT_LOG } from '../domain/log.js';
import { TIMESTAMP_DUE } from '../evidence.events.js';
import { evidenceSettings, type EvidenceSettings } from '../evidence.settings.js';
import { EvidenceMetrics } from '../infrastructure/evidence.metrics.js';
import { LogStorage } from '../infrastructure/log-storage.js';
import { findLog } from '../infrastructure/log.rows.js';
import { requestTimestamp, TIMESTAMP_TIMEOUT_MS } from '../infrastructure/timestamp-client.js';
import {
  findNewestTimestamp,
  findTimestampCovering,
  insertTimestamp,
  type StoredTimestamp,
} from '../infrastructure/timestamp.rows.js';
import { LogSigner } from './log-signer.js';

export type TimestampOutcome =
  | { kind: 'stamped' }
  /** The newest checkpoint has a timestamp, or the last timestamp is too recent. */
  | { kind: 'not_due' }
  /** `reason` is one of a few codes; `detail` adds details for the log. */
  | { kind: 'failed'; reason: string; detail: string };

/**
 * Timestamps checkpoints of the root log with an independent clock. A checkpoint and its timestamp are stored before the
 * row that refers to them: a crash in between leaves unused objects, and the next run stamps the newest checkpoint.
 */
@Injectable()
export class RootTimestamper {
  constructor(
    private readonly em: EntityManager,
    private readonly storage: LogStorage,
    private readonly signer: LogSigner,
    @InjectSettings(evidenceSettings) private readonly settings: EvidenceSettings,
  ) {}

  get isOn(): boolean {
    return this.signer.isOn && this.settings.timestampUrl !== '';
  }

  /** The signed checkpoint that is due for a timestamp; null: none. */
  async findDue(): Promise<{ epoch: number; size: number; note: string } | null> {
    if (!this.isOn) return null;
    const em = this.em.fork();
    const newest = await findNewestTimestamp(em);
    if (newest && newest.ageSeconds < this.settings.timestampSeconds) return null;
    const root = await findLog(em, ROOT_LOG);
    const stampedSize = newest?.epoch === root?.epoch ? (newest?.size ?? 0) : 0;
    if (!root?.checkpoint || root.checkpointSize <= stampedSize) return null;
    return { epoch: root.epoch, size: root.checkpointSize, note: root.checkpoint };
  }

  /** Several workers may do this at once, at the cost of one more request. */
  async stamp(stopped: AbortSignal): Promise<TimestampOutcome> {
    const due = await this.findDue();
    if (!due) return { kind: 'not_due' };
    const { epoch, size, note } = due;
    // Loaded on demand: most installations have no timestamp service.
    const { createTimestampRequest, encodeTimestampRequest, judgeTimestamp } =
      await import('../domain/timestamp.js');
    const request = createTimestampRequest(note);
    const response = await requestTimestamp(
      this.settings.timestampUrl,
      encodeTimestampRequest(request),
      stopped,
    );
    if (response.kind === 'failed') return response;
    const verdict = judgeTimestamp(response.bytes, request);
    if (verdict.kind === 'refused') return { ...verdict, kind: 'failed' };
    try {
      await this.storage.putTimestamp(due, { note, response: response.bytes });
    } catch (error) {
      return { kind: 'failed', reason: 'storage', detail: String(error) };
    }
    await this.em.fork().transactional((tx) => insertTimestamp(tx, { epoch, size, stampedAt: verdict.at }));
    return { kind: 'stamped' };
  }
}

/** Retried without limit, with the newest checkpoint each time; public services limit the request rate. */
const FAILED_WAIT: BackOff = { baseMs: 60_000, factor: 2, longestMs: 60 * 60_000 };

/**
 * The outbox handler of `timestamp.due`. It has its own ordering key, so a slow or unavailable timestamp service delays
 * only timestamps.
 */
@Injectable()
export class TimestampHandler implements OnModuleInit {
  private readonly logger = new Logger(TimestampHandler.name);

  constructor(
    private readonly outbox: OutboxService,
    private readonly timestamper: RootTimestamper,
    private readonly metrics: EvidenceMetrics,
  ) {}

  onModuleInit(): void {
    this.outbox.register(
      backgroundJob({
        topics: [TIMESTAMP_DUE],
        slotsMax: 1,
        attemptMaxMs: TIMESTAMP_TIMEOUT_MS + STORAGE_TIMEOUT_MAX_MS,
        run: (message, signal) => this.run(message, signal),
        // The next message is for the next checkpoint.
        abandoned: DONE,
      }),
    );
  }

  private async run({ failures }: OutboxMessage, stopped: AbortSignal): Promise<AttemptResult<null>> {
    const outcome = await this.timestamper.stamp(stopped);
    if (outcome.kind === 'not_due') return DONE;
    if (outcome.kind === 'stamped') {
      this.metrics.timestamps.inc({ outcome: 'stamped' });
      if (failures > 0) this.logger.log({ failures }, 'the timestamp service works again');
      return DONE;
    }
    if (stopped.aborted) return { kind: 'snooze', afterMs: 0 };
    const { reason, detail } = outcome;
    this.metrics.timestamps.inc({ outcome: reason });
    // Logged only once; the metrics show the later failures.
    if (failures === 0) this.logger.warn({ reason, detail }, 'no timestamp for the root log yet, retrying');
    return { kind: 'retry', afterMs: backOffMs(failures + 1, FAILED_WAIT), error: `${reason}: ${detail}` };
  }
}

/** A number of entries. */
const SIZE = /^[1-9]\d{0,15}$/;

/** Reads the timestamps of the root log. For each size, the first timestamp that covers it never changes. */
@Injectable()
export class Timestamps {
  constructor(
    private readonly em: EntityManager,
    private readonly storage: LogStorage,
  ) {}

  /** @throws DomainError `timestamp_not_found` (404) if there is none */
  async newest(): Promise<Omit<StoredTimestamp, 'epoch'>> {
    const { size, stampedAt } = (await findNewestTimestamp(this.em.fork())) ?? refuse('No timestamp yet.');
    return { size, stampedAt };
  }

  /** The first timestamp that covers a size, and the size of its checkpoint. @throws as `newest` */
  async findCovering(size: string, epoch: number): Promise<{ size: number; response: Buffer }> {
    const timestamp = await this.find(size, epoch);
    return { size: timestamp.size, response: await this.storage.readTimestamp(timestamp) };
  }

  /** The checkpoint of that timestamp. @throws as `newest` */
  async findCheckpoint(size: string, epoch: number): Promise<string> {
    return this.storage.readTimestampedCheckpoint(await this.find(size, epoch));
  }

  private async find(size: string, epoch: number): Promise<StoredTimestamp> {
    const covering = SIZE.test(size)
      ? await findTimestampCovering(this.em.fork(), { epoch, size: Number(size) })
      : null;
    return covering ?? refuse('No timestamp covers that many entries yet.');
  }
}

function refuse(sentence: string): never {
  throw new DomainError('timestamp_not_found', sentence);
}
