import { Injectable } from '@nestjs/common';
import { EntityManager } from '@mikro-orm/postgresql';
import { OutboxService } from '../../../platform/outbox/outbox.service.js';
import { type CheckpointedLog, listCheckpointed } from '../infrastructure/checkpoint.rows.js';
import { LogSigner } from './log-signer.js';
import { requestCheckpoints } from './request-checkpoints.js';

/** Logs that one query reads. */
const PAGE_MAX = 1_000;

/** Requests checkpoints of idle logs by the current key, so that a former key can be removed from EVIDENCE_KEYS. */
@Injectable()
export class KeyRollover {
  constructor(
    private readonly em: EntityManager,
    private readonly outbox: OutboxService,
    private readonly signer: LogSigner,
  ) {}

  async run(): Promise<void> {
    for await (const logs of staleLogs(this.em.fork(), this.signer)) {
      const due = logs.filter(({ isDue }) => isDue);
      if (due.length > 0)
        await this.em.fork().transactional((tx) => requestCheckpoints(tx, this.outbox, due));
    }
  }
}

/** Number of logs whose newest checkpoint is not signed by the current key, so a former key is still needed. */
export async function countStaleLogs(em: EntityManager, signer: LogSigner): Promise<number> {
  let count = 0;
  for await (const logs of staleLogs(em, signer)) count += logs.length;
  return count;
}

/** Pages of the logs whose newest checkpoint is not signed by the current key. */
async function* staleLogs(em: EntityManager, signer: LogSigner): AsyncGenerator<CheckpointedLog[]> {
  let after: string | null = null;
  for (;;) {
    const logs: CheckpointedLog[] = await listCheckpointed(em, { after, limit: PAGE_MAX });
    yield logs.filter(({ checkpoint, origin }) => !signer.hasSigned(checkpoint, origin));
    if (logs.length < PAGE_MAX) return;
    after = logs.at(-1)?.log ?? null;
  }
}
