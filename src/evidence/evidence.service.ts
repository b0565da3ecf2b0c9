import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { PreparedReads } from '../database/prepared-reads.js';
import type { ConsentRecorded } from '../consent/domain/consent-recorded.js';
import { recordBody } from '../consent/domain/record-body.js';
import { LogSigner } from './application/log-signer.js';
import { canonicalOf, commitmentTo } from './domain/commitment.js';
import type { SealedBody } from './domain/record-evidence.js';

/** Maximum age of the checkpoint that is sent to receivers, compared with the newest. */
const CHECKPOINT_AGE_MAX_MS = 5_000;
const CHECKPOINTS_KEPT_MAX = 10_000;

const CHECKPOINTS = {
  name: 'evidence-checkpoints',
  text: `select log, checkpoint from evidence_log where log = any($1::uuid[])`,
};

/** The door of evidence: what goes with a record to its receiver. */
@Injectable()
export class EvidenceService {
  /** Of projects, those asked for last; null: none is signed yet. */
  private readonly checkpoints = new LRUCache<string, { note: string | null }>({
    max: CHECKPOINTS_KEPT_MAX,
    ttl: CHECKPOINT_AGE_MAX_MS,
  });

  constructor(
    private readonly reads: PreparedReads,
    private readonly signer: LogSigner,
  ) {}

  /** Reads the newest checkpoints of projects, for `sealedBodyOf`. */
  async readCheckpoints(projectIds: readonly string[]): Promise<void> {
    const unknown = this.signer.isOn ? projectIds.filter((id) => !this.checkpoints.has(id)) : [];
    if (unknown.length === 0) return;
    const rows = await this.reads.rows<{ log: string; checkpoint: string | null }>(CHECKPOINTS, [unknown]);
    const noteOf = new Map(rows.map(({ log, checkpoint }) => [log, checkpoint]));
    for (const id of unknown) this.checkpoints.set(id, { note: noteOf.get(id) ?? null });
  }

  /** A record for its receiver, with what goes with it; null where nothing is sealed, or it has no salt yet. */
  sealedBodyOf(record: ConsentRecorded): SealedBody | null {
    if (!this.signer.isOn || record.salt === null) return null;
    const canonical = canonicalOf(recordBody(record));
    return {
      canonical,
      evidence: {
        salt: record.salt.toString('base64'),
        commitment: commitmentTo(record.salt, canonical).toString('base64'),
        checkpoint: this.checkpoints.get(record.projectId)?.note ?? null,
      },
    };
  }
}
