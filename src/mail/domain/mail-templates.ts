import { BRAND } from '../../shared/brand.js';
import type { Letter } from './letter.js';

/**
 * Every mail that the service sends, by name. To add one, add a line: a function of its values (JSON: they wait in the
 * outbox) that returns subject and paragraphs; text and HTML are made of them. Names that people gave go through
 * `nameInMail`. A line that is taken away or whose values change leaves mails behind that wait: give it a new name.
 * No secret stands in a mail but a one-time link (docs/accounts.md).
 */
export const MAIL_TEMPLATES = {
  /** `npm run ops -- mail test`. */
  test: (): Letter => ({
    subject: `A test from ${BRAND}`,
    paragraphs: ['This mail was sent by an operator to see whether mail arrives. It does.'],
  }),
} as const;

export type MailTemplate = keyof typeof MAIL_TEMPLATES;
export type MailValues<Name extends MailTemplate> =
  Parameters<(typeof MAIL_TEMPLATES)[Name]> extends [infer Values] ? Values : Record<string, never>;

/** The letter that a stored mail asks for; null where no template has that name any more. */
export function letterOf(template: string, values: unknown): Letter | null {
  if (!Object.hasOwn(MAIL_TEMPLATES, template)) return null;
  const write = MAIL_TEMPLATES[template as MailTemplate] as (values: unknown) => Letter;
  return write(values);
}
