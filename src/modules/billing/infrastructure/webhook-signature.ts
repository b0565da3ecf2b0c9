import { DomainError } from '../../../platform/errors/domain-error.js';
import { stripeLibrary } from './stripe-gateway.js';

/** Allowed distance of the signature's time from now, in either direction (design §6.4). */
const SIGNATURE_TOLERANCE_SECONDS = 300;

const SCHEME = /^v1=[0-9a-f]{64}$/;
const TIMESTAMP = /^t=(\d{1,12})$/;

/**
 * Verifies and parses the payload. Two secrets are valid while one is being rotated, and either may
 * have signed it.
 * @throws DomainError `webhook_signature_missing`, `…_malformed`, `…_invalid`, `…_expired` or
 * `webhook_payload_invalid`, all 400.
 */
export function verifiedPayload(
  body: Buffer,
  header: string | undefined,
  { secrets, now }: { secrets: readonly string[]; now: Date },
): unknown {
  if (header === undefined || header === '')
    throw new DomainError('webhook_signature_missing', 'The Stripe-Signature header is missing.');
  const ageSeconds = Math.floor(now.getTime() / 1000) - signedAtSeconds(header);
  for (const secret of secrets) {
    const verdict = toVerdict(body, { header, secret, now });
    if (verdict.kind === 'other_secret') continue;
    // The library accepts a timestamp in the future; such a signature could be replayed later.
    if (verdict.kind === 'expired' || Math.abs(ageSeconds) > SIGNATURE_TOLERANCE_SECONDS)
      throw new DomainError(
        'webhook_signature_expired',
        `The timestamp of the signature differs from the server time by more than ${SIGNATURE_TOLERANCE_SECONDS} s. Check both clocks.`,
      );
    if (verdict.kind === 'unreadable')
      throw new DomainError(
        'webhook_payload_invalid',
        'The signature is valid, but the body is not a JSON event.',
      );
    return verdict.payload;
  }
  throw new DomainError(
    'webhook_signature_invalid',
    'No signing secret of this service matches the signature. Send the body unchanged, and check the secret.',
  );
}

/**
 * The timestamp in the header. Exactly one is allowed: of two, the library and we might read different ones.
 */
function signedAtSeconds(header: string): number {
  const parts = header.split(',').map((part) => part.trim());
  const timestamps = parts.map((part) => TIMESTAMP.exec(part)?.[1]).filter((value) => value !== undefined);
  const hasTwo = parts.filter((part) => part.startsWith('t=')).length !== 1;
  if (timestamps[0] === undefined || hasTwo || !parts.some((part) => SCHEME.test(part)))
    throw new DomainError(
      'webhook_signature_malformed',
      'The Stripe-Signature header must look like t=<seconds>,v1=<64 hexadecimal digits>.',
    );
  return Number(timestamps[0]);
}

type Verdict =
  | { kind: 'payload'; payload: unknown }
  | { kind: 'other_secret' }
  | { kind: 'expired' }
  | { kind: 'unreadable' };

function toVerdict(
  body: Buffer,
  { header, secret, now }: { header: string; secret: string; now: Date },
): Verdict {
  const { errors, webhooks } = stripeLibrary();
  try {
    const payload: unknown = webhooks.constructEvent(
      body,
      header,
      secret,
      SIGNATURE_TOLERANCE_SECONDS,
      undefined,
      now.getTime(),
    );
    return { kind: 'payload', payload };
  } catch (error) {
    if (!(error instanceof errors.StripeSignatureVerificationError)) return { kind: 'unreadable' };
    // The library distinguishes the two only by the message.
    return error.message.startsWith('Timestamp outside') ? { kind: 'expired' } : { kind: 'other_secret' };
  }
}
