/** A promise of the browser, which may never settle. */
export function within<T>(timeoutMs: number, promise: Promise<T>, otherwise: T): Promise<T> {
  return Promise.race([
    promise.catch(() => otherwise),
    new Promise<T>((resolve) => setTimeout(() => resolve(otherwise), timeoutMs).unref()),
  ]);
}
