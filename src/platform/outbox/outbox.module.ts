import { BullModule } from '@nestjs/bullmq';
import { type DynamicModule, Global, Module } from '@nestjs/common';
import { OUTBOX_QUEUE, WakeupNotifier } from './infrastructure/wakeup-notifier.js';
import { OutboxClaimer } from './infrastructure/outbox.claimer.js';
import { OutboxDispatcher } from './application/outbox.dispatcher.js';
import { OutboxMetrics } from './infrastructure/outbox.metrics.js';
import { OutboxPartitions } from './infrastructure/outbox.partitions.js';
import { OutboxProcessor } from './application/outbox.processor.js';
import { PartitionRotation } from './application/partition-rotation.js';
import { OutboxService, WORKER_NOTIFIER } from './outbox.service.js';
import { OutboxSettler } from './application/outbox.settler.js';
import { SingleStatementSettler } from './infrastructure/single-statement-settler.js';
import { OutboxStore } from './infrastructure/outbox.store.js';

export { OUTBOX_QUEUE } from './infrastructure/wakeup-notifier.js';

/**
 * Messages that are stored with a change and processed after it. Only a worker has the processor.
 */
@Global()
@Module({})
export class OutboxModule {
  static forRoot({ runWorker }: { runWorker: boolean }): DynamicModule {
    const worker = runWorker ? [OutboxProcessor] : [];
    return {
      module: OutboxModule,
      imports: [BullModule.registerQueue({ name: OUTBOX_QUEUE })],
      providers: [
        OutboxService,
        WakeupNotifier,
        { provide: WORKER_NOTIFIER, useExisting: WakeupNotifier },
        OutboxStore,
        OutboxPartitions,
        PartitionRotation,
        OutboxClaimer,
        SingleStatementSettler,
        OutboxSettler,
        OutboxDispatcher,
        OutboxMetrics,
        ...worker,
      ],
      exports: [OutboxService, OutboxStore, OutboxDispatcher, BullModule],
    };
  }
}
