import { en } from './en';
import type { Language } from './language';

export type Texts = typeof en;

/** The dashboard's texts in the user's language. */
export let t: Texts = en;

/**
 * Loads the texts of a language other than English, which is bundled. Runs before the first render: pages are loaded
 * afterwards and may compute constants from the texts.
 */
export async function loadTexts(language: Language): Promise<void> {
  if (language === 'de') t = (await import('./de')).de;
}
