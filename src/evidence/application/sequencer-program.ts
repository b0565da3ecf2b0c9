import { MikroORM } from '@mikro-orm/postgresql';
import { ConsentRecords } from '../../consent/consent.records.js';
import { connectionConfig } from '../../database/connection-config.js';
import { readsThrough } from '../../database/prepared-reads.js';
import { OutboxService } from '../../outbox/outbox.service.js';
import { lowerThreadPriority } from '../../shared/thread-priority.js';
import { answerTasks } from '../../shared/thread-tasks.js';
import { CHECKPOINT_DUE } from '../evidence.events.js';
import { evidenceEntities } from '../infrastructure/evidence.entities.js';
import { LeafPartitions } from '../infrastructure/leaf-partitions.js';
import { LogSigner } from './log-signer.js';
import { Sequencer } from './sequencer.js';
import type { SequencedBatch, SequencerTask } from './sequencer-thread.js';

/** One for the batch's transaction, one to create a month's partition beside it. */
const CONNECTIONS = { name: 'consent-service sequencer', connections: 2 };

/** A sequencer and its connections, without the rest of the application. */
interface OpenSequencer {
  orm: MikroORM;
  sequencer: Sequencer;
}

let open: OpenSequencer | null = null;
let hasAppended = false;

// Records are sequenced in bursts; deliveries and requests must not wait for them.
lowerThreadPriority();

answerTasks<SequencerTask, SequencedBatch>(async (task) => {
  open ??= await openSequencer(task);
  hasAppended = false;
  try {
    const isMore = await open.sequencer.sequenceBatch();
    return { isMore, hasAppended };
  } catch (error) {
    // The next batch opens a new one, without the state of this one.
    const { orm } = open;
    open = null;
    await orm.close();
    throw error;
  }
});

async function openSequencer({ databaseUrl, evidence, service }: SequencerTask): Promise<OpenSequencer> {
  const orm = await MikroORM.init({
    ...connectionConfig(databaseUrl, CONNECTIONS),
    entities: [...evidenceEntities],
  });
  const outbox = OutboxService.appendOnly(orm.em, {
    topics: [CHECKPOINT_DUE],
    notify: () => (hasAppended = true),
  });
  const records = new ConsentRecords(orm.em, readsThrough(orm.em));
  const signer = new LogSigner(evidence, service);
  const partitions = new LeafPartitions(orm.em);
  return { orm, sequencer: new Sequencer(orm.em, records, outbox, signer, partitions) };
}
