import { plain, searchWords } from '../shared/search-words';

const SHOWN_MAX = 12;

const UUID = /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

/**
 * The commands whose label has the words of the text, prefix matches first; for an id, only the consent.
 */
export function selectCommands<C extends { label: string }>(
  commands: readonly C[],
  text: string,
  openConsent?: (consentId: string) => C,
): C[] {
  const typed = text.trim();
  if (openConsent && UUID.test(typed)) return [openConsent(typed.toLowerCase())];
  const matches = searchWords(typed);
  const isPrefix = ({ label }: C) => Number(plain(label).startsWith(plain(typed)));
  return commands
    .filter(({ label }) => matches(label))
    .toSorted((a, b) => isPrefix(b) - isPrefix(a))
    .slice(0, SHOWN_MAX);
}
