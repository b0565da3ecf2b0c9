/** Time limit of a request, including the response body. */
export const TIMESTAMP_TIMEOUT_MS = 8_000;
/** Limit of a response; with a certificate chain it has less than a tenth of it. */
const RESPONSE_BYTES_MAX = 64 * 1024;

export type TimestampResponse =
  | { kind: 'answered'; bytes: Buffer }
  | { kind: 'failed'; reason: 'unreachable' | 'timeout' | 'http_status' | 'too_long'; detail: string };

/**
 * Sends a request to a timestamp service (RFC 3161 §3.4). The address is the operator's, so it is validated where the
 * settings are read.
 * @param stopped cancels the request
 */
export async function requestTimestamp(
  url: string,
  request: Buffer,
  stopped: AbortSignal,
): Promise<TimestampResponse> {
  const timeout = AbortSignal.timeout(TIMESTAMP_TIMEOUT_MS);
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/timestamp-query', accept: 'application/timestamp-reply' },
      body: Uint8Array.from(request),
      redirect: 'manual',
      signal: AbortSignal.any([stopped, timeout]),
    });
    if (response.status !== 200) {
      await response.body?.cancel();
      return { kind: 'failed', reason: 'http_status', detail: `it returned ${response.status}` };
    }
    const bytes = await readBody(response);
    return bytes
      ? { kind: 'answered', bytes }
      : { kind: 'failed', reason: 'too_long', detail: `it returned more than ${RESPONSE_BYTES_MAX} bytes` };
  } catch (error) {
    if (timeout.aborted)
      return { kind: 'failed', reason: 'timeout', detail: `it took more than ${TIMESTAMP_TIMEOUT_MS} ms` };
    return { kind: 'failed', reason: 'unreachable', detail: describeError(error) };
  }
}

/** The body; null if it is too long. */
async function readBody(response: Response): Promise<Buffer | null> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response.body ?? []) {
    length += chunk.byteLength;
    // Leaving the loop closes the connection.
    if (length > RESPONSE_BYTES_MAX) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** The cause of a fetch error, which itself has no details. */
function describeError(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause);
}
