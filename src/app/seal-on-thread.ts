import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { MikroORM } from '@mikro-orm/postgresql';
import { ConsentRecords } from '../consent/consent.records.js';
import { readsThrough } from '../database/prepared-reads.js';
import { LogSigner } from '../evidence/application/log-signer.js';
import { SealStored } from '../evidence/application/seal-stored.js';
import { LOG_GROWN } from '../evidence/evidence.events.js';
import { LeafPartitions } from '../evidence/infrastructure/leaf-partitions.js';
import { OutboxService } from '../outbox/outbox.service.js';
import { toSerializable } from '../shared/serializable-error.js';
import { ormOptions } from './orm-options.js';
import type { PlacesGiven, SealingThreadData, ToSealingThread } from './sealing-thread.js';

/** One for a step's transaction, one for a month's partition that is made beside it. */
const CONNECTIONS = { name: 'consent-service sealing', connections: 2 };

/** The program of the thread that `SealingThread` starts: one step per `step` message, until `stop`. */
class StepsOnThread {
  private readonly orm: Promise<MikroORM>;
  private stored: SealStored | null = null;
  private hasAppended = false;

  constructor(
    private readonly port: MessagePort,
    private readonly data: SealingThreadData,
  ) {
    this.orm = MikroORM.init(ormOptions(data.databaseUrl, CONNECTIONS));
    port.on('message', (told: ToSealingThread) => void (told === 'step' ? this.step() : this.end()));
  }

  private async step(): Promise<void> {
    this.hasAppended = false;
    try {
      this.stored ??= this.storedOf(await this.orm);
      const isMore = await this.stored.step();
      this.answer({ kind: 'given', isMore, hasAppended: this.hasAppended });
    } catch (error) {
      this.answer({ kind: 'failed', error: toSerializable(error) });
      await this.end();
    }
  }

  /** What it is made of, without the application around it: no other thread's queue, no listener, no task. */
  private storedOf({ em }: MikroORM): SealStored {
    const outbox = OutboxService.appendOnly(em, {
      topics: [LOG_GROWN],
      notify: () => (this.hasAppended = true),
    });
    const records = new ConsentRecords(em, readsThrough(em));
    const signer = new LogSigner(this.data.evidence, this.data.service);
    return new SealStored(em, records, outbox, signer, new LeafPartitions(em));
  }

  private answer(given: PlacesGiven): void {
    this.port.postMessage(given);
  }

  private async end(): Promise<void> {
    this.port.close();
    await (await this.orm).close();
  }
}

if (!parentPort) throw new Error('This module must run in a worker thread.');
new StepsOnThread(parentPort, workerData as SealingThreadData);
