import { createHmac, randomBytes } from 'node:crypto';

/** Standard Webhooks allows 24 to 64 bytes. */
const SIGNING_SECRET_BYTES = 32;
const SIGNING_SECRET_PREFIX = 'whsec_';

/** For this long the former secret also signs, so that a receiver has time to switch. */
export const FORMER_SECRET_DAYS = 7;

/** A new secret: `whsec_` and 32 random bytes in base64, as in Standard Webhooks. */
export function createSigningSecret(): string {
  return SIGNING_SECRET_PREFIX + randomBytes(SIGNING_SECRET_BYTES).toString('base64');
}

/**
 * The signed parts: the message's id, the time of sending in whole seconds since 1970, and the
 * serialized body.
 */
export interface SignedContent {
  id: string;
  timestampSeconds: number;
  body: string;
}

/**
 * The value of `webhook-signature`: `v1,` and the base64 of HMAC-SHA256 over `id.timestamp.body`,
 * once per secret, separated by spaces. A receiver accepts the message if any of them is valid.
 */
export function signatureOf(
  { id, timestampSeconds, body }: SignedContent,
  secrets: readonly string[],
): string {
  const content = `${id}.${timestampSeconds}.${body}`;
  return secrets
    .map((secret) => {
      const key = Buffer.from(secret.slice(SIGNING_SECRET_PREFIX.length), 'base64');
      return `v1,${createHmac('sha256', key).update(content).digest('base64')}`;
    })
    .join(' ');
}
