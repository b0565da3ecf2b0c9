/**
 * The key that only this device has (docs/visitors.md): created with the first choice and stored beside it. A choice is
 * sent with the key's hash; the key itself is sent only when the visitor reads or erases their records.
 */
import { readJson, writeJson } from '../storage';

const KEY_BYTES = 32;
/** The time in milliseconds, at the start. */
const TIME_DIGITS = 12;
const KEY = /^[\da-f]{76}$/;

const storageKey = (projectId: string, name: string): string => `${META_GLOBAL}:${projectId}:${name}`;
const hex = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');

/** The key of this device; null: none. */
export function visitorKey(projectId: string): string | null {
  const key = readJson<string>(storageKey(projectId, 'visitorKey'));
  return KEY.test(key ?? '') ? key : null;
}

/** The hash that is sent with a choice; creates the key if needed. undefined on a page that may not hash. */
export async function hashForChoice(projectId: string): Promise<string | undefined> {
  try {
    const key =
      visitorKey(projectId) ??
      Date.now().toString(16).padStart(TIME_DIGITS, '0') +
        hex(crypto.getRandomValues(new Uint8Array(KEY_BYTES)));
    const digits = key.slice(TIME_DIGITS).match(/../g) as string[];
    const random = Uint8Array.from(digits, (pair) => parseInt(pair, 16));
    const hash = await crypto.subtle.digest('SHA-256', random);
    writeJson(storageKey(projectId, 'visitorKey'), key);
    return key.slice(0, TIME_DIGITS) + hex(new Uint8Array(hash));
  } catch {
    return undefined;
  }
}

/** Deletes key, choice and queued choices, so that the next page sees a new visitor. */
export function forget(projectId: string): void {
  try {
    for (const name of ['visitorKey', 'choice', 'queue'])
      localStorage.removeItem(storageKey(projectId, name));
  } catch {
    // Blocked: the substitute lasts as long as the page.
  }
}
