/** The languages that the dashboard speaks, each under its own name. */
export const LANGUAGES = { en: 'English', de: 'Deutsch' } as const;

export type Language = keyof typeof LANGUAGES;

const KEY = 'language';

/** What the person has chosen in this browser; before that the first of the browser's languages that is spoken here. */
export function chosenLanguage(): Language {
  const wished = [localStorage.getItem(KEY), ...navigator.languages.map((tag) => tag.split('-')[0])];
  return wished.find(isSpoken) ?? 'en';
}

function isSpoken(language: string | null | undefined): language is Language {
  return typeof language === 'string' && Object.hasOwn(LANGUAGES, language);
}

/** Shows the page that is open in another language; its address holds all that is to be seen. */
export function chooseLanguage(language: Language): void {
  localStorage.setItem(KEY, language);
  location.reload();
}
