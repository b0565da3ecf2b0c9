/** The languages of mails; the first one is the default. */
export const MAIL_LANGUAGES = ['en', 'de'] as const;
export type MailLanguage = (typeof MAIL_LANGUAGES)[number];

/** The mail language for a code, e.g. a stored one; the default if there are no mails in it. */
export function mailLanguage(code: string | null | undefined): MailLanguage {
  return MAIL_LANGUAGES.find((language) => language === code) ?? MAIL_LANGUAGES[0];
}
