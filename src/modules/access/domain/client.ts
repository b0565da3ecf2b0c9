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
