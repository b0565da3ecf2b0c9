import { getQueueToken } from '@nestjs/bullmq';
import type { INestApplication } from '@nestjs/common';
import type { Queue } from 'bullmq';
import { OutboxProcessor } from '../../../src/platform/outbox/application/outbox.processor.js';
import { OUTBOX_QUEUE, POLL_JOB } from '../../../src/platform/outbox/infrastructure/wakeup-notifier.js';

/** Stops the poll and the heartbeat of a worker: then only a wake-up makes it claim messages. */
export async function onlyWakeups(app: INestApplication): Promise<void> {
  app.get(OutboxProcessor, { strict: false }).onModuleDestroy();
  await app.get<Queue>(getQueueToken(OUTBOX_QUEUE), { strict: false }).removeJobScheduler(POLL_JOB);
}
