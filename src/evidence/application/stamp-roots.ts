import { Injectable } from '@nestjs/common';
import { EntityManager } from '@mikro-orm/postgresql';
import { InjectSettings } from '../../settings/inject-settings.js';
import { type EvidenceSettings, evidenceSettings } from '../evidence.settings.js';
import { ROOT_LOG } from '../domain/log.js';
import { findLog } from '../infrastructure/log-rows.js';
import { LogStorage } from '../infrastructure/log-storage.js';
import { findNewestStamp, writeStamp } from '../infrastructure/stamp-rows.js';
import { askTimeStampService } from '../infrastructure/time-stamp-service.js';
import { LogSigner } from './log-signer.js';

export type StampOutcome =
  | { kind: 'stamped' }
  /** The newest checkpoint has its time-stamp, or the last one is not old enough. */
  | { kind: 'not_due' }
  /** `reason` is one of few; `detail` completes it for the log. */
  | { kind: 'failed'; reason: string; detail: string };

/**
 * Time-stamps checkpoints of the root log with an independent clock. A checkpoint and its time-stamp are stored
 * before the row that refers to them: a crash in between leaves unused objects, and the next run stamps the newest
 * checkpoint.
 */
@Injectable()
export class StampRoots {
  constructor(
    private readonly em: EntityManager,
    private readonly storage: LogStorage,
    private readonly signer: LogSigner,
    @InjectSettings(evidenceSettings) private readonly settings: EvidenceSettings,
  ) {}

  get isOn(): boolean {
    return this.signer.isOn && this.settings.timestampUrl !== '';
  }

  /** The signed checkpoint that is to be stamped now; null where none is. */
  async due(): Promise<{ epoch: number; size: number; note: string } | null> {
    if (!this.isOn) return null;
    const em = this.em.fork();
    const newest = await findNewestStamp(em);
    if (newest && newest.ageSeconds < this.settings.timestampSeconds) return null;
    const root = await findLog(em, ROOT_LOG);
    const stamped = newest?.epoch === root?.epoch ? (newest?.size ?? 0) : 0;
    if (!root?.checkpoint || root.checkpointSize <= stamped) return null;
    return { epoch: root.epoch, size: root.checkpointSize, note: root.checkpoint };
  }

  /** Any number may be at it at the same time, which costs a request and nothing else. */
  async stamp(stopped: AbortSignal): Promise<StampOutcome> {
    const due = await this.due();
    if (!due) return { kind: 'not_due' };
    // Loaded where it is used: most services have no time-stamp service.
    const { askedTimeStamp, judgeTimeStamp, timeStampQuery } = await import('../domain/time-stamp.js');
    const asked = askedTimeStamp(due.note);
    const answer = await askTimeStampService(this.settings.timestampUrl, timeStampQuery(asked), stopped);
    if (answer.kind === 'failed') return answer;
    const judged = judgeTimeStamp(answer.bytes, asked);
    if (judged.kind === 'refused') return { ...judged, kind: 'failed' };
    try {
      await this.storage.putStamp(due, { note: due.note, answer: answer.bytes });
    } catch (error) {
      return { kind: 'failed', reason: 'storage', detail: String(error) };
    }
    await this.em
      .fork()
      .transactional((tx) => writeStamp(tx, { epoch: due.epoch, size: due.size, stampedAt: judged.at }));
    return { kind: 'stamped' };
  }
}
