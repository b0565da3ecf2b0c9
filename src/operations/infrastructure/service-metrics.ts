import { InjectQueue } from '@nestjs/bullmq';
import { Injectable } from '@nestjs/common';
import type { Queue } from 'bullmq';
import type { RequestHandler } from 'express';
import { Gauge, Histogram } from 'prom-client';
import { OUTBOX_QUEUE } from '../../outbox/outbox.module.js';
import { Metrics } from '../../shared/metrics.js';
import { VERSION } from '../../shared/version.js';

/** Seconds; a dashboard's request takes milliseconds, an export minutes. */
const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
/** A queue that has not answered by then counts as down; Prometheus waits 10 s for all of it. */
const QUEUE_TIMEOUT_MS = 2_000;
/** Methods that clients make up are one. */
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** Nest's pattern of whatever no route serves. */
const UNSERVED = '{/*splat}';

/** What every process tells of itself: its version, its requests, whether it reaches the queue. */
@Injectable()
export class ServiceMetrics {
  private readonly duration: Histogram<'method' | 'route' | 'status'>;

  constructor(metrics: Metrics, @InjectQueue(OUTBOX_QUEUE) queue: Queue) {
    const registers = [metrics.registry];
    new Gauge({
      name: 'build_info',
      help: 'Always 1; the labels tell what runs.',
      labelNames: ['version', 'node'],
      registers,
    }).set({ version: VERSION, node: process.versions.node }, 1);
    new Gauge({
      name: 'queue_up',
      help: 'Whether this process reaches the queue: 1 or 0. Records wait for the poll while it does not.',
      registers,
      async collect() {
        this.set((await answers(queue)) ? 1 : 0);
      },
    });
    this.duration = new Histogram({
      name: 'http_request_duration_seconds',
      help: 'Requests by method, route and status, without those of the ingest (ingest_*).',
      labelNames: ['method', 'route', 'status'],
      buckets: BUCKETS,
      registers,
    });
  }

  /** Measures what passes through it. The route is the pattern, so no id and no name becomes a label. */
  readonly measure: RequestHandler = (request, response, next) => {
    const end = this.duration.startTimer();
    response.once('close', () => {
      const pattern: unknown = request.route?.path;
      end({
        method: METHODS.has(request.method) ? request.method : 'other',
        // A mount point stands before the pattern; an address that nothing serves ends at the pattern of all.
        route: typeof pattern === 'string' && pattern !== UNSERVED ? `${request.baseUrl}${pattern}` : 'none',
        // Whoever hangs up before the answer never sees a status.
        status: response.writableFinished ? String(response.statusCode) : 'aborted',
      });
    });
    next();
  };
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
