import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import type { INestApplicationContext } from '@nestjs/common';
import { SealHandler } from '../evidence/application/seal-handler.js';
import { OutboxService } from '../outbox/outbox.service.js';
import { type SerializableError, errorOf } from '../shared/serializable-error.js';
import type { Settings } from './settings.js';

/** A step that is still under way by then was given up by who waited for it. */
const STOP_DEADLINE_MS = 1_000;

/** What the thread is begun with. */
export type SealingThreadData = Pick<Settings, 'evidence' | 'service'> & { databaseUrl: string };

/** Messages to the thread; it replies to a `step`. */
export type ToSealingThread = 'step' | 'stop';

/** What became of a step; with a failure the thread ends. */
export type PlacesGiven =
  { kind: 'given'; isMore: boolean; hasAppended: boolean } | { kind: 'failed'; error: SerializableError };

/**
 * Sequences stored records on a separate thread: hashing 20,000 records takes most of a second, in which the worker's
 * thread would deliver nothing and, in standalone mode, serve no visitor (ADR 0049). The thread starts with the first
 * step; after a failure the next step starts a new thread without the former one's state.
 */
export class SealingThread {
  private thread: Worker | null = null;
  private underWay: PromiseWithResolvers<boolean> | null = null;
  private readonly data: SealingThreadData;

  /** `notifyWorkers` wakes a worker: the messages of the thread are in the outbox. */
  constructor(
    { database, evidence, service }: Pick<Settings, 'database' | 'evidence' | 'service'>,
    private readonly notifyWorkers: () => void,
  ) {
    // It signs nothing, so it gets no key.
    this.data = { databaseUrl: database.databaseUrl, evidence: { ...evidence, keys: [] }, service };
  }

  /** As `SealStored.step`; one at a time. */
  step(): Promise<boolean> {
    this.thread ??= this.begin();
    this.underWay = Promise.withResolvers();
    this.tell(this.thread, 'step');
    return this.underWay.promise;
  }

  async stop(): Promise<void> {
    const { thread } = this;
    if (!thread) return;
    const ended = new Promise((resolve) => thread.once('exit', resolve));
    this.tell(thread, 'stop');
    await Promise.race([ended, sleep(STOP_DEADLINE_MS, undefined, { ref: false })]);
    await thread.terminate();
  }

  private begin(): Worker {
    const thread = new Worker(new URL('./seal-on-thread.js', import.meta.url), {
      name: 'sealing',
      workerData: this.data,
    });
    thread.on('message', (given: PlacesGiven) => {
      if (given.kind === 'failed') return this.fail(thread, errorOf(given.error));
      if (given.hasAppended) this.notifyWorkers();
      this.underWay?.resolve(given.isMore);
    });
    thread.on('error', (error) => this.fail(thread, error));
    thread.on('exit', () => this.fail(thread, new Error('The sequencer thread has exited.')));
    return thread;
  }

  private tell(thread: Worker, what: ToSealingThread): void {
    thread.postMessage(what);
  }

  private fail(thread: Worker, error: unknown): void {
    if (this.thread !== thread) return;
    this.thread = null;
    this.underWay?.reject(error);
  }
}

/** Makes the application sequence on a separate thread; returns a function that stops the thread, to call after the application stops. */
export function sealOnThread(app: INestApplicationContext, settings: Settings): () => Promise<void> {
  const outbox = app.get(OutboxService, { strict: false });
  const thread = new SealingThread(settings, () => outbox.notifyWorkers());
  app.get(SealHandler, { strict: false }).steps = thread;
  return () => thread.stop();
}
