/** How long the service may take for the whole of its answer. */
export const TIME_STAMP_TIMEOUT_MS = 8_000;
/** Longest answer that is read; one with a chain of certificates has less than a tenth of it. */
const ANSWER_BYTES_MAX = 64 * 1024;

export type TimeStampAnswer =
  | { kind: 'answered'; bytes: Buffer }
  | { kind: 'failed'; reason: 'unreachable' | 'timeout' | 'http_status' | 'too_long'; detail: string };

/**
 * Sends a query to a time-stamp service (RFC 3161 §3.4). The address is the operator's own, so it is judged where the
 * settings are read and not here.
 * @param stopped ends it early, as a timeout does
 */
export async function askTimeStampService(
  url: string,
  query: Buffer,
  stopped: AbortSignal,
): Promise<TimeStampAnswer> {
  const timeout = AbortSignal.timeout(TIME_STAMP_TIMEOUT_MS);
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/timestamp-query', accept: 'application/timestamp-reply' },
      body: Uint8Array.from(query),
      redirect: 'manual',
      signal: AbortSignal.any([stopped, timeout]),
    });
    if (response.status !== 200) {
      await response.body?.cancel();
      return { kind: 'failed', reason: 'http_status', detail: `it returned ${response.status}` };
    }
    const bytes = await bodyOf(response);
    return bytes
      ? { kind: 'answered', bytes }
      : { kind: 'failed', reason: 'too_long', detail: `it returned more than ${ANSWER_BYTES_MAX} bytes` };
  } catch (error) {
    if (timeout.aborted)
      return { kind: 'failed', reason: 'timeout', detail: `it took more than ${TIME_STAMP_TIMEOUT_MS} ms` };
    return { kind: 'failed', reason: 'unreachable', detail: sentenceOf(error) };
  }
}

/** The whole body; null where it is too long, and then the rest is not read. */
async function bodyOf(response: Response): Promise<Buffer | null> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response.body ?? []) {
    length += chunk.byteLength;
    // Leaving the loop ends the connection.
    if (length > ANSWER_BYTES_MAX) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** What is behind an error of fetch, which itself says no more than that it failed. */
function sentenceOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause);
}
