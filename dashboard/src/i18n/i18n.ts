import { createTranslator } from 'use-intl/core';
import en from '../../../messages/dashboard.en.json' with { type: 'json' };
import type banner from '../../../messages/banner.en.json';
import type device from '../../../messages/device.en.json';
import type events from '../../../messages/events.en.json';
import type forwarding from '../../../messages/forwarding.en.json';
import type imports from '../../../messages/imports.en.json';
import type install from '../../../messages/install.en.json';
import type organizations from '../../../messages/organizations.en.json';
import type plan from '../../../messages/plan.en.json';
import type scans from '../../../messages/scans.en.json';
import type { Language } from './locale';
import { showHidden } from './show-hidden';

export type Messages = typeof en &
  typeof banner &
  typeof device &
  typeof events &
  typeof forwarding &
  typeof imports &
  typeof install &
  typeof organizations &
  typeof plan &
  typeof scans;

/** Messages that are loaded with the pages that need them, so that other pages do not load them. */
const PAGE_MESSAGES = {
  banner: {
    en: () => import('../../../messages/banner.en.json', { with: { type: 'json' } }),
    de: () => import('../../../messages/banner.de.json', { with: { type: 'json' } }),
  },
  device: {
    en: () => import('../../../messages/device.en.json', { with: { type: 'json' } }),
    de: () => import('../../../messages/device.de.json', { with: { type: 'json' } }),
  },
  events: {
    en: () => import('../../../messages/events.en.json', { with: { type: 'json' } }),
    de: () => import('../../../messages/events.de.json', { with: { type: 'json' } }),
  },
  forwarding: {
    en: () => import('../../../messages/forwarding.en.json', { with: { type: 'json' } }),
    de: () => import('../../../messages/forwarding.de.json', { with: { type: 'json' } }),
  },
  imports: {
    en: () => import('../../../messages/imports.en.json', { with: { type: 'json' } }),
    de: () => import('../../../messages/imports.de.json', { with: { type: 'json' } }),
  },
  install: {
    en: () => import('../../../messages/install.en.json', { with: { type: 'json' } }),
    de: () => import('../../../messages/install.de.json', { with: { type: 'json' } }),
  },
  organizations: {
    en: () => import('../../../messages/organizations.en.json', { with: { type: 'json' } }),
    de: () => import('../../../messages/organizations.de.json', { with: { type: 'json' } }),
  },
  plan: {
    en: () => import('../../../messages/plan.en.json', { with: { type: 'json' } }),
    de: () => import('../../../messages/plan.de.json', { with: { type: 'json' } }),
  },
  scans: {
    en: () => import('../../../messages/scans.en.json', { with: { type: 'json' } }),
    de: () => import('../../../messages/scans.de.json', { with: { type: 'json' } }),
  },
};

/** The messages of every page, in English. */
export const englishMessages = en;

let messages = en as unknown as Messages;

/** The language of the page. */
export let locale: Language = 'en';

/** Formats a message; keys and ICU arguments are checked against the English files. */
export let t = translator();

/**
 * Loads the messages of a language other than English, which is bundled. Runs before the first render: pages are
 * loaded afterwards and may compute constants from messages.
 */
export async function loadMessages(language: Language): Promise<void> {
  if (language === 'en') return;
  const { default: german } = await import('../../../messages/dashboard.de.json', { with: { type: 'json' } });
  locale = language;
  addMessages(german);
}

/** Loads the messages of a page. Runs before the page's modules are loaded, as for {@link loadMessages}. */
export async function loadPageMessages(page: keyof typeof PAGE_MESSAGES): Promise<void> {
  const { default: own } = await PAGE_MESSAGES[page][locale]();
  addMessages(own);
}

function addMessages(more: object): void {
  messages = { ...messages, ...more };
  t = translator();
}

/** The texts in messages may be names that others chose. */
function translator() {
  const translate = createTranslator({ locale, messages });
  const format = translate as unknown as (key: string, values?: object, ...more: unknown[]) => string;
  const shown: typeof format = (key, values, ...more) =>
    format(key, values && Object.fromEntries(Object.entries(values).map(shownEntry)), ...more);
  return Object.assign(shown as unknown as typeof translate, translate);
}

function shownEntry([name, value]: [string, unknown]): [string, unknown] {
  return [name, typeof value === 'string' ? showHidden(value) : value];
}

/** Groups of messages without arguments whose keys are codes of the API. */
type CodeGroup =
  | 'actions'
  | 'analytics.devices'
  | 'audit.fields'
  | 'audit.values'
  | `banner.appearanceOptions.${'layout' | 'theme' | 'font' | 'secondaryButton'}`
  | 'banner.fieldNames'
  | 'banner.labels'
  | 'banner.values'
  | 'deliveries.categories'
  | 'events.typeNames'
  | 'organizations.fields'
  | 'problemDetails'
  | 'problems'
  | 'projects.tiers'
  | 'roles'
  | 'signals.fields'
  | 'signals.targets'
  | 'skipReasons';

/** The message for a code that may be newer than this dashboard; undefined without one. */
export function translateCode(group: CodeGroup, code: string | null | undefined): string | undefined {
  const key = `${group}.${code}` as 'actions.custom';
  return t.has(key) ? t(key) : undefined;
}
