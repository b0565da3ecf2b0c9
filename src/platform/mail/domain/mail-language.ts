/** The languages of mails; the first is for everyone who has chosen none of them. */
export const MAIL_LANGUAGES = ['en', 'de'] as const;
export type MailLanguage = (typeof MAIL_LANGUAGES)[number];

/** The language with a code, e.g. a stored one; the default where there is no mail in it. */
export function mailLanguage(code: string | null | undefined): MailLanguage {
  return MAIL_LANGUAGES.find((language) => language === code) ?? MAIL_LANGUAGES[0];
}
