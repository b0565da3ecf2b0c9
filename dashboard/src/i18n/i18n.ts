import { createTranslator } from 'use-intl/core';
import en from '../../messages/en.json' with { type: 'json' };
import type { Language } from './locale';

export type Messages = typeof en;

/** The language of the page. */
export let locale: Language = 'en';

/** Formats a message of `messages/<locale>.json`; keys and ICU arguments are checked against `en.json`. */
export let t = createTranslator({ locale, messages: en });

/**
 * Loads the messages of a language other than English, which is bundled. Runs before the first render: pages are
 * loaded afterwards and may compute constants from messages.
 */
export async function loadMessages(language: Language): Promise<void> {
  if (language === 'en') return;
  const { default: messages } = await import('../../messages/de.json', { with: { type: 'json' } });
  locale = language;
  t = createTranslator({ locale, messages: messages as unknown as Messages });
}

/** Groups of messages without arguments whose keys are codes of the API. */
type CodeGroup =
  | 'actions'
  | 'analytics.devices'
  | 'audit.fields'
  | `banner.appearanceOptions.${'layout' | 'theme' | 'font'}`
  | 'banner.fieldNames'
  | 'banner.labels'
  | 'banner.values'
  | 'deliveries.categories'
  | 'problemDetails'
  | 'problems'
  | 'projects.tiers'
  | 'roles'
  | 'skipReasons';

/** The message for a code that may be newer than this dashboard; undefined if there is none. */
export function translateCode(group: CodeGroup, code: string | null | undefined): string | undefined {
  const key = `${group}.${code}` as 'actions.custom';
  return t.has(key) ? t(key) : undefined;
}
