import type { MailLanguage } from '../../../platform/mail/domain/mail-language.js';

/** The client of a request, as sign-in needs it. */
export interface SignInClient {
  /** The network address. */
  address: string;
  /** The `Cookie` header. */
  cookie: string | undefined;
  /** Browser and system in words, e.g. `Firefox on Linux`; empty if unknown. */
  device: string;
  /** The language of mails sent for the request; null: unknown. */
  language: MailLanguage | null;
}

/** Maximum lifetime of a session, independent of extensions. */
export const SESSION_DAYS_MAX = 30;

const DAY_MS = 24 * 60 * 60 * 1000;

/** When a session ends: after its own expiry, or 30 days after it was opened, whichever is first. */
export function sessionEnd({ createdAt, expiresAt }: { createdAt: Date; expiresAt: Date }): Date {
  return new Date(Math.min(expiresAt.getTime(), createdAt.getTime() + SESSION_DAYS_MAX * DAY_MS));
}
