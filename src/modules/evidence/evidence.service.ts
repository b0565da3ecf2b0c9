import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { PreparedReads } from '../../platform/database/prepared-reads.js';
import { type ConsentRecorded, recordBody } from '../consent/domain/consent-recorded.js';
import { LogSigner } from './application/log-signer.js';
import { type BodyWithEvidence, canonicalJson, hashCommitment } from './domain/commitment.js';

/** Maximum age of the checkpoint that is sent to receivers, compared with the newest. */
const CHECKPOINT_AGE_MAX_MS = 5_000;
const CHECKPOINTS_CACHED_MAX = 10_000;

const CHECKPOINTS = {
  name: 'evidence-checkpoints',
  text: `select log, checkpoint from evidence_log where log = any($1::uuid[])`,
};

/** Public interface of evidence: the evidence that is sent to the receiver with a record. */
@Injectable()
export class EvidenceService {
  /** By project; null: none is signed yet. */
  private readonly checkpoints = new LRUCache<string, { note: string | null }>({
    max: CHECKPOINTS_CACHED_MAX,
    ttl: CHECKPOINT_AGE_MAX_MS,
  });

  constructor(
    private readonly reads: PreparedReads,
    private readonly signer: LogSigner,
  ) {}

  /** Reads the newest checkpoints of projects, for `bodyWithEvidence`. */
  async readCheckpoints(projectIds: readonly string[]): Promise<void> {
    const unknown = this.signer.isOn ? projectIds.filter((id) => !this.checkpoints.has(id)) : [];
    if (unknown.length === 0) return;
    const rows = await this.reads.rows<{ log: string; checkpoint: string | null }>(CHECKPOINTS, [unknown]);
    const notes = new Map(rows.map(({ log, checkpoint }) => [log, checkpoint]));
    for (const id of unknown) this.checkpoints.set(id, { note: notes.get(id) ?? null });
  }

  /** The canonical body of a record and its evidence; null if evidence is off, or the record has no salt yet. */
  bodyWithEvidence(record: ConsentRecorded): BodyWithEvidence | null {
    if (!this.signer.isOn || record.salt === null) return null;
    const canonical = canonicalJson(recordBody(record));
    return {
      canonical,
      evidence: {
        salt: record.salt.toString('base64'),
        commitment: hashCommitment(record.salt, canonical).toString('base64'),
        checkpoint: this.checkpoints.get(record.projectId)?.note ?? null,
      },
    };
  }
}
