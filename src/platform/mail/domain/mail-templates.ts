import type { Letter } from './letter.js';
import type { MailLanguage } from './mail-language.js';
import { ENGLISH_MAILS } from './mail-templates.en.js';
import { GERMAN_MAILS } from './mail-templates.de.js';
import type { MailContext, MailTemplate, MailTemplates } from './mail-values.js';

const TEMPLATES: Record<MailLanguage, MailTemplates> = { en: ENGLISH_MAILS, de: GERMAN_MAILS };

/** The letter of a stored mail, or null if its template no longer exists. */
export function fillTemplate(
  { template, values, language }: { template: string; values: unknown; language: MailLanguage },
  context: MailContext,
): Letter | null {
  const templates = TEMPLATES[language];
  if (!Object.hasOwn(templates, template)) return null;
  const write = templates[template as MailTemplate] as (values: unknown, context: MailContext) => Letter;
  return write(values, context);
}
