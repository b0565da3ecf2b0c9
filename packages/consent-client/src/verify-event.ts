/// <reference types="node" />
import { createHmac, timingSafeEqual } from 'node:crypto';

type Tier = 'lite' | 'pro' | 'business' | 'enterprise';
type Role = 'viewer' | 'editor' | 'owner';

/** The members of `data` that every event has: the project, what it is about, and where to read its state. */
interface EventData {
  projectId: string;
  id: string;
  url: string;
}

type ImportEnd = 'finished' | 'failed' | 'canceled';

/** The further members of `data` by type (`GET /v1/event-types`). Instants are ISO 8601. */
interface EventFields {
  'configuration.published': { tier: Tier };
  'configuration.publish_failed': object;
  'forwarding.held': { heldSince: string };
  'forwarding.resumed': { heldSince: string };
  'forwarding.undelivered': { records: number; more: boolean };
  'erasure.completed': { erased: number };
  'import.finished': { state: ImportEnd; stored: number; repeated: number; refused: number };
  'scan.finished': object;
  'scan.finding_opened': { scanId: string };
  'scan.loader_missing': object;
  'custom_domain.active': object;
  'custom_domain.failing': object;
  'member.joined': { role: Role };
  'member.left': object;
  'api_key.created': { role: Role };
  'api_key.revoked': object;
  'tier.changed': { from: Tier; to: Tier };
  'evidence.problem': { kind: 'records' | 'storage' };
  'test.ping': object;
}

export type ServiceEventType = keyof EventFields;

/** An event, told apart by `type`. `timestamp` is when it was written. */
export type ServiceEvent = {
  [Type in ServiceEventType]: { type: Type; timestamp: string; data: EventData & EventFields[Type] };
}[ServiceEventType];

/** The headers of a request: of fetch, or Node's with lower-case names. */
export type EventHeaders = Headers | Record<string, string | string[] | undefined>;

/** The request is not one of ours, or too old. Answer 401, and do not use its body. */
export class EventVerificationError extends Error {
  constructor(
    readonly code:
      'header_missing' | 'timestamp_invalid' | 'timestamp_outdated' | 'signature_invalid' | 'body_invalid',
    message: string,
  ) {
    super(message);
    this.name = 'EventVerificationError';
  }
}

const SECRET_PREFIX = 'whsec_';
/** A request is accepted up to this long before or after the time in its header. */
const TOLERANCE_SECONDS = 5 * 60;

/**
 * Verifies a request to an event endpoint (Standard Webhooks) and returns its event. `rawBody` is the body as it
 * arrived, before any parser. `secret` is the endpoint's, `whsec_…`. The event's id is the header `webhook-id`: the
 * same on every attempt.
 *
 * @throws EventVerificationError
 */
export function verifyEvent(
  secret: string,
  headers: EventHeaders,
  rawBody: string | Uint8Array,
): ServiceEvent {
  const [id, timestamp, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) =>
    readHeader(headers, name),
  ) as [string, string, string];
  if (!/^\d{1,12}$/.test(timestamp))
    throw new EventVerificationError(
      'timestamp_invalid',
      'The header webhook-timestamp is not a number of seconds.',
    );
  if (Math.abs(Date.now() / 1000 - Number(timestamp)) > TOLERANCE_SECONDS)
    throw new EventVerificationError(
      'timestamp_outdated',
      'The request is more than five minutes old, or a clock is wrong.',
    );
  const body = typeof rawBody === 'string' ? rawBody : Buffer.from(rawBody);
  const key = Buffer.from(
    secret.startsWith(SECRET_PREFIX) ? secret.slice(SECRET_PREFIX.length) : secret,
    'base64',
  );
  if (key.length === 0) throw new TypeError('The secret of the event endpoint is empty.');
  const expected = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest();
  const given = signatures
    .split(' ')
    .flatMap((each) => (each.startsWith('v1,') ? [Buffer.from(each.slice(3), 'base64')] : []));
  if (!given.some((each) => each.length === expected.length && timingSafeEqual(each, expected)))
    throw new EventVerificationError('signature_invalid', 'No signature of the request matches the secret.');
  try {
    return JSON.parse(body.toString()) as ServiceEvent;
  } catch {
    throw new EventVerificationError('body_invalid', 'The body is not JSON.');
  }
}

function readHeader(headers: EventHeaders, name: string): string {
  const value = headers instanceof Headers ? headers.get(name) : headers[name];
  const text = Array.isArray(value) ? value[0] : value;
  if (text) return text;
  throw new EventVerificationError('header_missing', `The request has no header ${name}.`);
}
