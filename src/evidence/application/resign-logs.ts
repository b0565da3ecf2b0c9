import { Injectable } from '@nestjs/common';
import { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { OutboxService } from '../../outbox/outbox.service.js';
import { LogSigner } from './log-signer.js';
import { askToSign } from './sequencer.js';

/** Logs that one query reads. */
const LOGS_READ_MAX = 1_000;
/** A log that was asked for within this time has a message that waits, or has just been signed. */
const ASKED_AGAIN_AFTER = '6 hours';

interface StaleLog {
  log: string;
  origin: string;
  size: number;
  checkpointSize: number;
  checkpoint: string;
  /** Whether a signature may be asked for: it is not refused, and was not asked for lately. */
  isDue: boolean;
}

/** Has idle logs signed by the key that signs now, so that a key that was rotated out can be retired. */
@Injectable()
export class ResignLogs {
  constructor(
    private readonly em: EntityManager,
    private readonly outbox: OutboxService,
    private readonly signer: LogSigner,
  ) {}

  async run(): Promise<void> {
    for await (const logs of staleLogs(this.em.fork(), this.signer)) {
      const due = logs.filter(({ isDue }) => isDue);
      if (due.length > 0) await this.em.fork().transactional((tx) => askToSign(tx, this.outbox, due));
    }
  }
}

/** How many logs need a key other than the one that signs now: their newest checkpoint is not signed by it. */
export async function countStaleLogs(em: EntityManager, signer: LogSigner): Promise<number> {
  let count = 0;
  for await (const logs of staleLogs(em, signer)) count += logs.length;
  return count;
}

/** The logs whose newest checkpoint the key that signs now has not signed, some at a time. */
async function* staleLogs(em: EntityManager, signer: LogSigner): AsyncGenerator<StaleLog[]> {
  let after: string | null = null;
  for (;;) {
    const { rows }: { rows: StaleLog[] } = await sql<StaleLog>`
      select log, origin, size::float8 as size, checkpoint_size::float8 as "checkpointSize", checkpoint,
             refusal is null and (asked_at is null or asked_at < now() - ${ASKED_AGAIN_AFTER}::interval) as "isDue"
      from evidence_log where checkpoint is not null and (${after}::uuid is null or log > ${after}::uuid)
      order by log limit ${LOGS_READ_MAX}
    `.execute(em.getKysely());
    yield rows.filter(({ checkpoint, origin }) => !signer.hasSigned(checkpoint, origin));
    if (rows.length < LOGS_READ_MAX) return;
    after = rows.at(-1)?.log ?? null;
  }
}
