/** A promise of the browser, which may never settle, above all where the browser is closed. The signal ends the wait, too. */
export async function within<T>(
  timeoutMs: number,
  promise: Promise<T>,
  otherwise: T,
  signal?: AbortSignal,
): Promise<T> {
  const { promise: ended, resolve } = Promise.withResolvers<T>();
  const end = (): void => resolve(otherwise);
  const timer = setTimeout(end, timeoutMs).unref();
  signal?.addEventListener('abort', end);
  if (signal?.aborted) end();
  try {
    return await Promise.race([promise.catch(() => otherwise), ended]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', end);
  }
}
