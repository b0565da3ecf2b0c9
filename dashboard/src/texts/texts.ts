import { en } from './en';
import type { Language } from './language';

export type Texts = typeof en;

/** Everything that the dashboard says, in the person's language. */
export let t: Texts = en;

/**
 * Fetches the texts of a language other than English, which is at hand. Ahead of the first drawing: the pages are loaded
 * after it, so that what they make of the texts once is in the right language too.
 */
export async function loadTexts(language: Language): Promise<void> {
  if (language === 'de') t = (await import('./de')).de;
}
