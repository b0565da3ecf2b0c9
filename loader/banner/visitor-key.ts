/**
 * The key that only this device has (docs/visitors.md): created with the first choice and stored beside it. A choice is
 * sent with the key's hash; the key itself is sent only when the visitor reads or erases their records.
 */
import { readJson, writeJson } from '../storage';

const KEY_BYTES = 32;
/** Of the time in milliseconds, in front. */
const TIME_DIGITS = 12;
const KEY = /^[\da-f]{76}$/;

const nameOf = (projectId: string, what: string): string => `${META_GLOBAL}:${projectId}:${what}`;
const hex = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');

/** The key of this device; null where it has none. */
export function visitorKey(projectId: string): string | null {
  const key = readJson<string>(nameOf(projectId, 'visitorKey'));
  return KEY.test(key ?? '') ? key : null;
}

/** What goes with a choice; makes the key where there is none. undefined on a page that may not hash. */
export async function hashForChoice(projectId: string): Promise<string | undefined> {
  try {
    const key =
      visitorKey(projectId) ??
      Date.now().toString(16).padStart(TIME_DIGITS, '0') +
        hex(crypto.getRandomValues(new Uint8Array(KEY_BYTES)));
    const digits = key.slice(TIME_DIGITS).match(/../g) as string[];
    const random = Uint8Array.from(digits, (pair) => parseInt(pair, 16));
    const hash = await crypto.subtle.digest('SHA-256', random);
    writeJson(nameOf(projectId, 'visitorKey'), key);
    return key.slice(0, TIME_DIGITS) + hex(new Uint8Array(hash));
  } catch {
    return undefined;
  }
}

/** Forgets key, choice, and choices that wait to be sent: the next page knows nothing of this visitor. */
export function forget(projectId: string): void {
  try {
    for (const what of ['visitorKey', 'choice', 'queue']) localStorage.removeItem(nameOf(projectId, what));
  } catch {
    // Blocked: the substitute lasts until the page is left.
  }
}
