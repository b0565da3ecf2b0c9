import { createHmac, randomBytes } from 'node:crypto';

/** Standard Webhooks takes 24 to 64 bytes. */
const SIGNING_SECRET_BYTES = 32;
const SIGNING_SECRET_PREFIX = 'whsec_';

/** After a new secret was made the former one still signs beside it, so that a receiver can change over at leisure. */
export const FORMER_SECRET_DAYS = 7;

/** A fresh secret: `whsec_` and 32 random bytes in base64, as Standard Webhooks writes them. */
export function createSigningSecret(): string {
  return SIGNING_SECRET_PREFIX + randomBytes(SIGNING_SECRET_BYTES).toString('base64');
}

/** What is signed: the message's id, when it was sent in whole seconds since 1970, and the body as it is written. */
export interface SignedContent {
  id: string;
  timestampSeconds: number;
  body: string;
}

/**
 * The value of `webhook-signature`: `v1,` and the base64 of HMAC-SHA256 over `id.timestamp.body`, once for each secret,
 * with a space between. A receiver takes the message where any of them is right.
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
