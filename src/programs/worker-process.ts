import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { MetricValues } from '../platform/operations/metrics.js';
import type { Settings } from './settings.js';

/** Messages to the child process. The scanner gets fewer settings, and no metrics requests. */
export type ToWorker<S = Settings> = { kind: 'start'; settings: S } | { kind: 'metrics' };

/** Messages from the child process. */
export type FromWorker = { kind: 'ready' } | { kind: 'metrics'; metrics: MetricValues[] };

/** A program that the API runs as its child process. */
export interface ChildProgram {
  /** For the sentences to the operator. */
  name: string;
  /** File beside this one. */
  file: string;
  /** Options of Node that differ from the API's. */
  options: string[];
}

/**
 * With a larger young generation, records in delivery survive fewer collections
 * (docs/deploy.md, Memory).
 */
export const WORKER: ChildProgram = {
  name: 'worker',
  file: 'worker-program.js',
  options: ['--max-semi-space-size=16'],
};
export const SCANNER: ChildProgram = { name: 'scanner', file: 'scanner-program.js', options: [] };

/** Pause before a worker that exited is started again. */
const RESTART_PAUSE_MS = 1_000;
/** How long an optional program is restarted: the embedded database may be restarting. */
const START_MAX_MS = 60_000;
/** Longer than the highest FORWARDING_TIMEOUT_MS and the time the worker needs to store the outcomes afterwards. */
const STOP_MAX_MS = 150_000;
/** Prometheus waits 10 s for all metrics. */
const METRICS_TIMEOUT_MS = 3_000;

/**
 * The worker of a process with RUN_WORKER: a child process with its own event loop, so that deliveries, sequencing and
 * maintenance use no time of the requests (ADR 60). It ends with this process, even after `kill -9`. In standalone mode
 * the scanner is another one.
 */
export class WorkerProcess<S = Settings> {
  private child: ChildProcess;
  private stopping = false;
  private readonly forkedMs = performance.now();
  private scrape: PromiseWithResolvers<MetricValues[]> | null = null;
  /** False until it is ready, also during a restart. */
  isRunning = false;

  constructor(
    private readonly program: ChildProgram,
    private readonly settings: S,
    /** For an optional program: called if it does not start. */
    private readonly giveUp: (() => void) | null = null,
  ) {
    this.child = this.fork();
  }

  /** The worker's metrics; none while it is not running. */
  async metrics(): Promise<MetricValues[]> {
    if (!this.isRunning) return [];
    if (!this.scrape) {
      this.scrape = Promise.withResolvers();
      send<S>(this.child, { kind: 'metrics' });
    }
    return Promise.race([
      this.scrape.promise,
      sleep(METRICS_TIMEOUT_MS, [] as MetricValues[], { ref: false }),
    ]);
  }

  /** Finishes what is in progress. */
  async stop(): Promise<void> {
    this.stopping = true;
    const { child } = this;
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    if (child.connected) child.disconnect();
    const deadline = setTimeout(() => child.kill('SIGKILL'), STOP_MAX_MS);
    await exited;
    clearTimeout(deadline);
  }

  private fork(): ChildProcess {
    // Settings contain keys as buffers, which JSON would change.
    const child = fork(join(import.meta.dirname, this.program.file), {
      serialization: 'advanced',
      execArgv: [...process.execArgv, ...this.program.options],
    });
    child.on('message', (message: FromWorker) => {
      if (message.kind === 'ready') this.isRunning = true;
      else {
        this.scrape?.resolve(message.metrics);
        this.scrape = null;
      }
    });
    child.on('exit', () => void this.handleExit());
    send<S>(child, { kind: 'start', settings: this.settings });
    return child;
  }

  private async handleExit(): Promise<void> {
    const wasReady = this.isRunning;
    this.isRunning = false;
    this.scrape?.resolve([]);
    this.scrape = null;
    if (this.stopping) return;
    const { name } = this.program;
    if (this.giveUp && !wasReady && performance.now() - this.forkedMs > START_MAX_MS) return this.giveUp();
    process.stderr.write(
      wasReady
        ? `the ${name} process exited; restarting it\n`
        : `the ${name} process could not start; trying again\n`,
    );
    await sleep(RESTART_PAUSE_MS, undefined, { ref: false });
    if (this.stopping) return;
    this.child = this.fork();
  }
}

function send<S>(child: ChildProcess, message: ToWorker<S>): void {
  // A failure means that the child has exited, which is handled.
  if (child.connected) child.send(message, () => {});
}
