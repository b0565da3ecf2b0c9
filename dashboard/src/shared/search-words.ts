/** German spellings without umlauts. */
const SPELLED_OUT: Record<string, string> = { ä: 'ae', ö: 'oe', ü: 'ue', ß: 'ss' };
/** Letters that do not decompose into a base letter and an accent. */
const BASE_LETTERS: Record<string, string> = { ß: 'ss', ø: 'o', æ: 'ae', œ: 'oe', ł: 'l', đ: 'd', ı: 'i' };

/**
 * A test for a search field: whether a text contains each word that was typed, in any order and without accents.
 * "optik 5" and "schaefer" find "Optik Schäfer 5".
 */
export function searchWords(typed: string): (...texts: string[]) => boolean {
  const words = plain(typed).split(/\s+/).filter(Boolean);
  return (...texts) => {
    const searched = texts.flatMap((text) => [plain(text), plain(spelledOut(text))]).join('\n');
    return words.every((word) => searched.includes(word));
  };
}

/** The text in lower case and without accents. */
export function plain(text: string): string {
  return text
    .toLowerCase()
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .replace(/[ßøæœłđı]/g, (letter) => BASE_LETTERS[letter] ?? letter);
}

function spelledOut(text: string): string {
  return text
    .normalize('NFC')
    .toLowerCase()
    .replace(/[äöüß]/g, (letter) => SPELLED_OUT[letter] ?? letter);
}
