import { hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { EntityManager } from '@mikro-orm/postgresql';
import { OutboxService } from '../../../platform/outbox/outbox.service.js';
import { InjectSettings } from '../../../platform/settings/inject-settings.js';
import { appendEntries, ROOT_LOG } from '../domain/log.js';
import { type EvidenceSettings, evidenceSettings } from '../evidence.settings.js';
import { insertRootEntries, listUnanchored } from '../infrastructure/checkpoint.rows.js';
import { findCursor } from '../infrastructure/cursor.rows.js';
import { writeGrowth } from '../infrastructure/log.rows.js';
import { lockGrowingLogs } from './begin-log.js';
import { LogSigner } from './log-signer.js';
import { requestCheckpoints } from '../evidence.events.js';

/** Checkpoints that one transaction adds to the root log. */
const BATCH_MAX = 5_000;

/** The root log's entry for a project's signed checkpoint: its hash, which does not reveal its size. */
export function rootLogEntry(note: string): Buffer {
  return hash('sha256', note, 'buffer');
}

/** Adds the newest checkpoints of projects to the root log, at most once per EVIDENCE_ROOT_SECONDS. */
@Injectable()
export class AnchorCheckpoints {
  constructor(
    private readonly em: EntityManager,
    private readonly outbox: OutboxService,
    private readonly signer: LogSigner,
    @InjectSettings(evidenceSettings) private readonly settings: EvidenceSettings,
  ) {}

  /** Returns whether there may be more. */
  anchorBatch(): Promise<boolean> {
    return this.em.fork().transactional(async (tx) => {
      const { logEpoch } = await findCursor(tx);
      const [root] = await lockGrowingLogs(tx, [ROOT_LOG], { signer: this.signer, logEpoch });
      if (!root) return false;
      const checkpoints = await listUnanchored(tx, {
        everySeconds: this.settings.rootSeconds,
        limit: BATCH_MAX,
      });
      if (checkpoints.length === 0) return false;
      await insertRootEntries(tx, root.size, checkpoints);
      const entries = checkpoints.map(({ checkpoint }) => rootLogEntry(checkpoint));
      await writeGrowth(tx, [{ log: ROOT_LOG, ...appendEntries(root.edge, entries) }]);
      await requestCheckpoints(tx, this.outbox, [root]);
      return checkpoints.length === BATCH_MAX;
    });
  }
}
