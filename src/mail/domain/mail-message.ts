import { namedKey } from '../../outbox/domain/ordering-key.js';
import { type BackOff, backOffMs } from '../../shared/back-off.js';

/** Topic of the outbox for mails that are to be sent. */
export const MAIL_SEND = 'mail.send';

/** All mail shares a worker's slots as one: a server that is slow or away holds up nobody's records. */
export const MAIL_ORDERING_KEY = namedKey('mail');

/** What waits in the outbox: who gets it and what it says is encrypted, because a one-time link stands in it. */
export interface MailPayload extends Record<string, unknown> {
  template: string;
  /** Base64 of what opens as `{ to, values }`. */
  sealed: string;
  keyId: string;
  /** ISO 8601; what is not sent by then is not sent any more. Absent: it is of use whenever it comes. */
  until?: string;
}

/** A mail server that is away is waited for: five seconds, twice as long each time, half an hour at most. */
const RETRY: BackOff = { baseMs: 5_000, factor: 2, longestMs: 30 * 60_000 };
/** That is six hours in all; after them somebody has to look. */
export const MAIL_ATTEMPTS_MAX = 20;

export function mailRetryDelayMs(failures: number): number {
  return backOffMs(failures, RETRY);
}
