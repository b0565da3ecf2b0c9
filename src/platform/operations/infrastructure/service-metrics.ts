import { getHeapStatistics } from 'node:v8';
import { InjectQueue } from '@nestjs/bullmq';
import { Injectable } from '@nestjs/common';
import type { Queue } from 'bullmq';
import { Gauge } from 'prom-client';
import { OUTBOX_QUEUE } from '../../outbox/outbox.module.js';
import { Metrics } from '../metrics.js';
import { threadHeaps } from '../../threads/thread-pool.js';
import { VERSION } from '../../process/version.js';

/**
 * A queue that does not respond within this time counts as down; Prometheus waits 10 s for the
 * whole scrape.
 */
const QUEUE_TIMEOUT_MS = 2_000;

/** Metrics of every process: its version, its heaps, and whether it reaches the queue. */
@Injectable()
export class ServiceMetrics {
  constructor(metrics: Metrics, @InjectQueue(OUTBOX_QUEUE) queue: Queue) {
    const registers = [metrics.registry];
    new Gauge({
      name: 'build_info',
      help: 'Always 1; the labels describe the build.',
      labelNames: ['version', 'node'],
      registers,
    }).set({ version: VERSION, node: process.versions.node }, 1);
    new Gauge({
      name: 'isolate_heap_bytes',
      help: 'Heap of the main thread (main) and of each other thread by kind: used, total, or limit.',
      labelNames: ['isolate', 'kind'],
      registers,
      async collect() {
        const threads = await threadHeaps();
        this.reset();
        for (const { name, heap } of [{ name: 'main', heap: getHeapStatistics() }, ...threads]) {
          this.inc({ isolate: name, kind: 'used' }, heap.used_heap_size);
          this.inc({ isolate: name, kind: 'total' }, heap.total_heap_size);
          this.inc({ isolate: name, kind: 'limit' }, heap.heap_size_limit);
        }
      },
    });
    new Gauge({
      name: 'queue_up',
      help: 'Whether this process is connected to the queue: 1 or 0. Without it, records wait for the next poll.',
      registers,
      async collect() {
        this.set((await answers(queue)) ? 1 : 0);
      },
    });
  }
}

async function answers(queue: Queue): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), QUEUE_TIMEOUT_MS);
  });
  const answer = queue.getJobCounts('waiting').then(
    () => true,
    () => false,
  );
  return Promise.race([answer, timeout]).finally(() => clearTimeout(timer));
}
