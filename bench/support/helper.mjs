import { fork } from 'node:child_process';

/**
 * A helper is a separate process (load generator, receiver, the bare peers), so that its cost is not
 * part of the measured process. It answers calls over the IPC channel.
 *
 * @typedef {{ call: (job: string, args?: object) => Promise<any>, pid: number }} Helper
 */

/**
 * Starts `support/<name>.mjs` as a helper; it ends with the scope, or when this process dies.
 * @param {import('./scope.mjs').Scope} scope
 * @param {string} name
 * @returns {Promise<Helper>}
 */
export async function startHelper(scope, name) {
  const child = fork(new URL(`./${name}.mjs`, import.meta.url), {
    serialization: 'advanced',
    env: { ...process.env, NODE_ENV: 'production' },
  });
  /** @type {Map<number, { resolve: (value: any) => void, reject: (error: Error) => void }>} */
  const open = new Map();
  let calls = 0;
  child.on('message', (/** @type {any} */ { id, result, error }) => {
    const entry = open.get(id);
    open.delete(id);
    if (error === undefined) entry?.resolve(result);
    else entry?.reject(new Error(`${name}: ${error}`));
  });
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.once('exit', (code) => {
    for (const { reject } of open.values()) reject(new Error(`${name} ended with ${code}`));
  });
  scope.defer(async () => {
    child.kill('SIGKILL');
    await gone;
  });
  return {
    pid: child.pid ?? 0,
    call: (job, args = {}) =>
      new Promise((resolve, reject) => {
        calls += 1;
        open.set(calls, { resolve, reject });
        child.send({ id: calls, job, args });
      }),
  };
}

/**
 * The helper's side: answers each call by the job of its name.
 * @param {Record<string, (args: any) => unknown>} jobs
 */
export function answerCalls(jobs) {
  process.on('message', async (/** @type {any} */ { id, job, args }) => {
    try {
      process.send?.({ id, result: await jobs[job]?.(args) });
    } catch (error) {
      process.send?.({ id, error: error instanceof Error ? error.stack : String(error) });
    }
  });
  process.once('disconnect', () => process.exit(0));
}
