import {
  CONSENT_ID_HEADER,
  FORWARDER_USER_AGENT,
  PROJECT_ID_HEADER,
} from '../../../platform/identity/brand.js';
import { type OutboxMessage, projectOf } from '../../../platform/outbox/domain/outbox-message.js';
import { EVIDENCE_MEMBER, recordBody, type ConsentRecorded } from '../../consent/domain/consent-recorded.js';
import type { BodyWithEvidence } from '../../evidence/domain/commitment.js';
import type { HeaderList } from '../../../platform/delivery/domain/http-request.js';
import { signatureOf } from '../../../platform/delivery/domain/webhook-signature.js';

/** Topic of notifications about erased records; the subject is the consent id. */
export const RECORD_ERASED = 'record.erased';

/** The notification about an erased record. */
interface ErasedRecord {
  id: string;
  projectId: string;
  erasedAt: Date;
}

export function erasedOf(message: OutboxMessage): ErasedRecord {
  const { subjectId: id, payload, createdAt } = message;
  const erasedAt = typeof payload?.erasedAt === 'string' ? new Date(payload.erasedAt) : createdAt;
  return { id, projectId: projectOf(message), erasedAt };
}

/** The payload: a record, or the notice of an erasure. */
export type Sent = ConsentRecorded | ErasedRecord;

/** The secrets that authenticate a request. */
export interface Credentials {
  /** null: the mode is "No auth", or the endpoint was named in the request. */
  bearerToken: string | null;
  /** The current one first; empty if the project has none, or the endpoint was named in the request. */
  signingSecrets: readonly string[];
}

/**
 * The headers of spec §4.1, and of Standard Webhooks. `webhook-id` is the consent id on every
 * attempt, so that receivers can drop repeats; the notice of an erasure has a different one.
 * `webhook-timestamp` is the time of this attempt.
 */
export function outboundHeaders(
  sent: Pick<ConsentRecorded, 'id' | 'projectId'> | ErasedRecord,
  { bearerToken, signingSecrets }: Credentials,
  { body, attemptedAt }: { body: string; attemptedAt: Date },
): HeaderList {
  const timestampSeconds = Math.floor(attemptedAt.getTime() / 1000);
  const { id: consentId, projectId } = sent;
  const id = 'erasedAt' in sent ? `erase_${consentId}` : consentId;
  const signature = signatureOf({ id, timestampSeconds, body }, signingSecrets);
  const headers: HeaderList = [];
  if (bearerToken !== null) headers.push('Authorization', `Bearer ${bearerToken}`);
  headers.push(PROJECT_ID_HEADER, projectId);
  headers.push(CONSENT_ID_HEADER, consentId);
  headers.push('User-Agent', FORWARDER_USER_AGENT);
  headers.push('Content-Type', 'application/json');
  headers.push('Accept-Encoding', 'identity');
  headers.push('webhook-id', id);
  headers.push('webhook-timestamp', String(timestampSeconds));
  if (signature !== '') headers.push('webhook-signature', signature);
  return headers;
}

/** The forwarded record (spec §2.1), and beside it the evidence for its receiver; null: it is not sealed. */
export function outboundBody(record: Sent, sealed: BodyWithEvidence | null = null): string {
  if ('erasedAt' in record) {
    const { id, erasedAt } = record;
    return JSON.stringify({ action: 'erase', id, erasedAt: erasedAt.toISOString() });
  }
  if (sealed === null) return JSON.stringify(recordBody(record));
  // The commitment and the request share this serialization. A record has at least one field, and
  // none has this name.
  return `${sealed.canonical.slice(0, -1)},"${EVIDENCE_MEMBER}":${JSON.stringify(sealed.evidence)}}`;
}
