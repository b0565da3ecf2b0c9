/**
 * Runs a task repeatedly, `everyMs` apart, never concurrently. Returns a function that stops this;
 * it resolves once the run in progress has ended, so that connections can be closed then. `task`
 * never rejects.
 */
export function repeat(everyMs: number, task: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | null = null;
  const timer = setInterval(() => {
    running ??= task().finally(() => (running = null));
  }, everyMs);
  return async () => {
    clearInterval(timer);
    await running;
  };
}
