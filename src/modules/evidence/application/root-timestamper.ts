import { Injectable } from '@nestjs/common';
import { EntityManager } from '@mikro-orm/postgresql';
import { InjectSettings } from '../../../platform/settings/inject-settings.js';
import { ROOT_LOG } from '../domain/log.js';
import { type EvidenceSettings, evidenceSettings } from '../evidence.settings.js';
import { findLog } from '../infrastructure/log.rows.js';
import { LogStorage } from '../infrastructure/log-storage.js';
import { requestTimestamp } from '../infrastructure/timestamp-client.js';
import { findNewestTimestamp, insertTimestamp } from '../infrastructure/timestamp.rows.js';
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
