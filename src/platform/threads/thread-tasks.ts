import { parentPort } from 'node:worker_threads';
import { toSerializable } from './serializable-error.js';
import type { TaskAnswer } from './thread-pool.js';
import { useTrustedRoots } from '../network/trusted-roots.js';

/**
 * The program of a thread of a `ThreadPool`: reports that it is ready, then answers each task with
 * the result or error of `work`.
 */
export function answerTasks<Task, Result>(work: (task: Task) => Result | Promise<Result>): void {
  const port = parentPort;
  if (!port) throw new Error('This module must run in a worker thread.');
  useTrustedRoots();
  port.on('message', (task: Task) => {
    void runTask(work, task).then((answer) => port.postMessage(answer));
  });
  port.postMessage({ kind: 'ready' } satisfies TaskAnswer<Result>);
}

async function runTask<Task, Result>(
  work: (task: Task) => Result | Promise<Result>,
  task: Task,
): Promise<TaskAnswer<Result>> {
  try {
    return { kind: 'done', result: await work(task) };
  } catch (error) {
    return { kind: 'failed', error: toSerializable(error) };
  }
}
