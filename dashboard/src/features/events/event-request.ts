import { EVENTS_USER_AGENT } from '../../../../src/platform/identity/brand.js';
import type { EventDetailsResponse } from '../../client/types.gen';

const MASK = '••••••••';

/** The body of an event's request, as endpoints get it. */
export function eventBody({ type, timestamp, data }: Omit<EventDetailsResponse, 'deliveries'>): string {
  return JSON.stringify({ type, timestamp, data }, null, 2);
}

/** The request of an attempt as text, with the signature masked. */
export function eventRequest(
  event: EventDetailsResponse,
  { url, attemptedAt }: { url: string; attemptedAt: string },
): string {
  return [
    `POST ${url}`,
    `User-Agent: ${EVENTS_USER_AGENT}`,
    'Content-Type: application/json',
    'Accept-Encoding: identity',
    `webhook-id: ${event.id}`,
    `webhook-timestamp: ${Math.floor(Date.parse(attemptedAt) / 1_000)}`,
    `webhook-signature: v1,${MASK}`,
    '',
    eventBody(event),
  ].join('\n');
}
