import { parse } from 'bowser';

/** What of the header is looked at; those of browsers have about 120 characters. */
const USER_AGENT_CHARACTERS_MAX = 512;

/**
 * Browser and system from a `User-Agent` header, e.g. `Firefox on Linux`: enough to recognize one's
 * own session in a list, and too little to track anyone. Empty where it names neither.
 */
export function deviceOf(userAgent: string | undefined): string {
  const text = userAgent?.slice(0, USER_AGENT_CHARACTERS_MAX);
  if (!text) return '';
  const { browser, os } = parse(text);
  return [browser.name, os.name].filter(Boolean).join(' on ');
}
