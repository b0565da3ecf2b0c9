/** The dashboard's languages, each under its own name. */
export const LANGUAGES = { en: 'English', de: 'Deutsch' } as const;

export type Language = keyof typeof LANGUAGES;

const KEY = 'language';

/** The language chosen in this browser; without a choice, the first supported of the browser's languages. */
export function preferredLanguage(): Language {
  const candidates = [localStorage.getItem(KEY), ...navigator.languages.map((tag) => tag.split('-')[0])];
  return candidates.find(isSupported) ?? 'en';
}

function isSupported(language: string | null | undefined): language is Language {
  return typeof language === 'string' && Object.hasOwn(LANGUAGES, language);
}

/** Reloads the open page in another language; its address holds its state. */
export function chooseLanguage(language: Language): void {
  localStorage.setItem(KEY, language);
  location.reload();
}
