import type { ConsentRecorded } from '../../consent/domain/consent-recorded.js';
import { EVIDENCE_MEMBER, recordBody } from '../../consent/domain/record-body.js';
import type { BodyWithEvidence } from '../../evidence/domain/record-evidence.js';
import type { ErasedRecord } from './erased-record.js';
import { CONSENT_ID_HEADER, FORWARDER_USER_AGENT, PROJECT_ID_HEADER } from '../../shared/brand.js';
import { signatureOf } from './webhook-signature.js';

/** What is sent: a record, or word that one was erased. */
export type Sent = ConsentRecorded | ErasedRecord;

/** Header names and values in turn, as they are written. */
export type HeaderList = string[];

/** What a request is proved with. */
export interface Credentials {
  /** null where the mode is "No auth" or the endpoint came with the request. */
  bearerToken: string | null;
  /** The current one first; none where the project has none, or the endpoint came with the request. */
  signingSecrets: readonly string[];
}

/**
 * The headers of spec §4.1, and those of Standard Webhooks: `webhook-id` is the consent id on every attempt, for
 * receivers to drop repeats, and another one for word of its erasure, which is no repeat; `webhook-timestamp` is when
 * this attempt is made.
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

/** What a header may hold: printable ASCII, so that nothing in a value becomes another header. */
const HEADER_VALUE = /^[\t\x20-\x7e]*$/;

/**
 * A POST as HTTP/1.1 writes it (RFC 9112 §3), for a connection that is kept.
 * @throws Error where a header holds what no header may: a bug, whose message does not repeat it.
 */
export function requestText({ url, headers, body }: { url: URL; headers: HeaderList; body: string }): string {
  let text = `POST ${url.pathname}${url.search} HTTP/1.1\r\nHost: ${url.host}\r\n`;
  for (let at = 0; at + 1 < headers.length; at += 2) {
    const [name, value] = [headers[at] ?? '', headers[at + 1] ?? ''];
    if (!HEADER_VALUE.test(value)) throw new Error(`the header ${name} contains invalid characters`);
    text += `${name}: ${value}\r\n`;
  }
  return `${text}Connection: keep-alive\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}

/** The forwarded record (spec §2.1), and beside it what its receiver can hold against us; null: it is not sealed. */
export function outboundBody(record: Sent, sealed: BodyWithEvidence | null = null): string {
  if ('erasedAt' in record) {
    const { id, erasedAt } = record;
    return JSON.stringify({ action: 'erase', id, erasedAt: erasedAt.toISOString() });
  }
  if (sealed === null) return JSON.stringify(recordBody(record));
  // It is written once for the commitment and for the receiver; a record has fields, and none of this name.
  return `${sealed.canonical.slice(0, -1)},"${EVIDENCE_MEMBER}":${JSON.stringify(sealed.evidence)}}`;
}
