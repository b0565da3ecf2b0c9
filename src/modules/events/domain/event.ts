import { EVENTS_USER_AGENT } from '../../../platform/identity/brand.js';
import type { HeaderList } from '../../../platform/delivery/domain/http-request.js';
import { signatureOf } from '../../../platform/delivery/domain/webhook-signature.js';
import type { EventTypeName } from './catalogue.js';

/** Days that events, deliveries and attempts are kept. */
export const EVENT_DAYS_KEPT = 30;
/** How far back a recovery reaches. */
export const RECOVER_DAYS_MAX = 14;

/** A stored event. `data` lacks the project and the address, which are added when it is read or sent. */
export interface ProjectEvent {
  projectId: string;
  id: string;
  type: EventTypeName;
  data: Record<string, unknown> & { id: string };
  createdAt: Date;
  /** Created by a trigger: only long polls that ask for tests receive it. */
  test: boolean;
}

/** The body of the request, which is also the event in the API. */
export interface EventBody {
  type: EventTypeName;
  timestamp: string;
  data: Record<string, unknown>;
}

/**
 * The headers of an event's request (Standard Webhooks). `webhook-id` is the event's id, the same on every attempt;
 * `webhook-timestamp` is the time of this attempt. There is a signature for each secret.
 */
export function eventHeaders(
  id: string,
  { body, secrets, attemptedAt }: { body: string; secrets: readonly string[]; attemptedAt: Date },
): HeaderList {
  const timestampSeconds = Math.floor(attemptedAt.getTime() / 1000);
  return [
    ['User-Agent', EVENTS_USER_AGENT],
    ['Content-Type', 'application/json'],
    ['Accept-Encoding', 'identity'],
    ['webhook-id', id],
    ['webhook-timestamp', String(timestampSeconds)],
    ['webhook-signature', signatureOf({ id, timestampSeconds, body }, secrets)],
  ].flat();
}
