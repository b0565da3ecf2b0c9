/** How much of a response body is stored with a failed attempt (docs/forwarding.md). */
export const RESPONSE_BODY_STORED_BYTES = 4 * 1024;

/** Shorter ends of a body are not taken for the beginning of a secret. */
const SECRET_BEGINNING_MIN = 8;
const MASK = '********';

/** The received part of a response body, one character per byte. It may hold more than is stored. */
export type ReceivedBody = string;

/**
 * The part of a body that is stored: text, without NUL, which PostgreSQL cannot store. Invalid UTF-8 is replaced, and a
 * character that the limit cuts is left out. Some receivers repeat the request in their error page, so `secrets` that
 * occur as they were sent are masked.
 */
export function storedResponseBody(received: ReceivedBody, secrets: readonly string[]): string {
  const masked = secrets.reduce(maskSecret, received);
  const bytes = Buffer.from(masked.slice(0, RESPONSE_BODY_STORED_BYTES), 'latin1');
  // A stream, because the last character may be incomplete.
  return new TextDecoder().decode(bytes, { stream: true }).replaceAll('\0', '');
}

function maskSecret(body: string, secret: string): string {
  // JSON encoders may escape slashes.
  const masked = body.replaceAll(secret, MASK).replaceAll(secret.replaceAll('/', String.raw`\/`), MASK);
  for (let length = secret.length - 1; length >= SECRET_BEGINNING_MIN; length--)
    if (masked.endsWith(secret.slice(0, length))) return masked.slice(0, -length) + MASK;
  return masked;
}
