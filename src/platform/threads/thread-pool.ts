import type { HeapInfo } from 'node:v8';
import { Worker } from 'node:worker_threads';
import { type SerializableError, fromSerializable } from './serializable-error.js';
import { DomainError } from '../errors/domain-error.js';

export interface ThreadPoolOptions {
  /** Shown by the process list and profilers. */
  name: string;
  /** Concurrent tasks. */
  threads: number;
  /** Tasks that may wait for a thread; more are refused. */
  waitingMax: number;
  /**
   * A task that runs longer fails with 503, and its thread is replaced. The start of a thread does
   * not count.
   */
  taskMaxMs: number;
  /** The error for a task when the queue is full. */
  refusal: () => DomainError;
}

/** Message of a thread: first `ready`, then a result for each task. See `answerTasks`. */
export type TaskAnswer<Result> =
  { kind: 'ready' } | { kind: 'done'; result: Result } | { kind: 'failed'; error: SerializableError };

/** A thread that is not ready within this time, even on a busy machine, never will be. */
const START_MAX_MS = 120_000;
/** `Retry-After` for a task that took too long. */
const LATE_RETRY_AFTER_SECONDS = 10;

interface Job<Task, Result> {
  task: Task;
  gone: AbortSignal | undefined;
  promised: PromiseWithResolvers<Result>;
  timer?: NodeJS.Timeout;
}

/** Every thread of this process, by its name. */
const threadsByWorker = new Map<Worker, string>();

/** Heap statistics of all threads of this process; a thread that is exiting is left out. */
export async function threadHeaps(): Promise<{ name: string; heap: HeapInfo }[]> {
  const heaps = await Promise.all(
    [...threadsByWorker].map(([thread, name]) =>
      thread.getHeapStatistics().then(
        (heap) => ({ name, heap }),
        () => null,
      ),
    ),
  );
  return heaps.filter((each) => each !== null);
}

/**
 * Runs CPU-bound tasks on worker threads, with limited concurrency, in the order of arrival. The
 * main thread and libuv's four threads stay free for requests. A thread starts with the first task
 * that needs it and is kept; an idle thread does not keep the process alive.
 */
export class ThreadPool<Task, Result> {
  private readonly idle = new Set<Worker>();
  private readonly busy = new Map<Worker, Job<Task, Result>>();
  /** Loaded its program. */
  private readonly ready = new WeakSet<Worker>();
  private readonly waiting: Job<Task, Result>[] = [];

  /** `program` is a module that calls `answerTasks`. */
  constructor(
    private readonly program: URL,
    private readonly options: ThreadPoolOptions,
  ) {}

  /**
   * Runs a task. It is dropped if its caller disconnects before its turn.
   *
   * @throws the refusal if too many tasks wait; `overloaded` if the task took too long; the error
   * of the task; the reason of `gone`.
   */
  async run(task: Task, gone?: AbortSignal): Promise<Result> {
    const { threads, waitingMax, refusal } = this.options;
    if (this.busy.size >= threads && this.waiting.length >= waitingMax) throw refusal();
    const job: Job<Task, Result> = { task, gone, promised: Promise.withResolvers<Result>() };
    this.waiting.push(job);
    this.startNext();
    return job.promised.promise;
  }

  async close(): Promise<void> {
    const threads = [...this.idle, ...this.busy.keys()];
    for (const { promised } of this.waiting.splice(0))
      promised.reject(new Error('The service is shutting down.'));
    this.idle.clear();
    await Promise.all(threads.map((thread) => thread.terminate()));
  }

  private startNext(): void {
    if (this.busy.size >= this.options.threads) return;
    const job = this.waiting.shift();
    if (!job) return;
    if (job.gone?.aborted) {
      job.promised.reject(job.gone.reason);
      return this.startNext();
    }
    const [thread = this.begin()] = this.idle;
    this.idle.delete(thread);
    this.busy.set(thread, job);
    this.limitTime(thread, job, this.ready.has(thread) ? this.options.taskMaxMs : START_MAX_MS);
    thread.ref();
    thread.postMessage(job.task);
  }

  private limitTime(thread: Worker, job: Job<Task, Result>, maxMs: number): void {
    clearTimeout(job.timer);
    job.timer = setTimeout(() => {
      this.end(thread, lateRefusal());
      void thread.terminate();
    }, maxMs);
  }

  private begin(): Worker {
    const thread = new Worker(this.program, { name: this.options.name });
    threadsByWorker.set(thread, this.options.name);
    thread.on('message', (answer: TaskAnswer<Result>) => {
      if (answer.kind === 'ready') {
        this.ready.add(thread);
        const starting = this.busy.get(thread);
        if (starting) this.limitTime(thread, starting, this.options.taskMaxMs);
        return;
      }
      const job = this.leave(thread);
      if (!job) return;
      thread.unref();
      this.idle.add(thread);
      if (answer.kind === 'done') job.promised.resolve(answer.result);
      else job.promised.reject(fromSerializable(answer.error));
      this.startNext();
    });
    thread.on('error', (error) => this.end(thread, error));
    thread.on('exit', () => {
      threadsByWorker.delete(thread);
      this.end(thread, new Error(`The thread ${this.options.name} has exited.`));
    });
    return thread;
  }

  /** Handles the end of a thread: its task fails, and the next one gets a new thread. */
  private end(thread: Worker, error: unknown): void {
    this.idle.delete(thread);
    const job = this.leave(thread);
    if (!job) return;
    job.promised.reject(error);
    this.startNext();
  }

  private leave(thread: Worker): Job<Task, Result> | undefined {
    const job = this.busy.get(thread);
    this.busy.delete(thread);
    clearTimeout(job?.timer);
    return job;
  }
}

function lateRefusal(): DomainError {
  return new DomainError('overloaded', 'The server is too busy for this request. Try again shortly.', {
    retryAfterSeconds: LATE_RETRY_AFTER_SECONDS,
  });
}
