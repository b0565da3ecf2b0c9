import type { MailLanguage } from '../../mail/domain/mail-language.js';

/** Who sends a request, as far as sign-in looks at it. */
export interface Client {
  /** Of the network. */
  address: string;
  /** The `Cookie` header. */
  cookie: string | undefined;
  /** Browser and system in words, e.g. `Firefox on Linux`; empty where they are not known. */
  device: string;
  /** Of the mails that the request causes; null: not known. */
  language: MailLanguage | null;
}
