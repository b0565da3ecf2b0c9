/** Keys of the billing provider and of ours, also partly masked ones. */
const KEYS = /\b((?:[sr]k|pk)_(?:live_|test_)?|whsec_|ck_)[\w*-]{4,}/g;

/** A third party's error text, safe for the log: a provider that rejects a key often repeats it. */
export function withoutKeys(sentence: string): string {
  return sentence.replace(KEYS, '$1…');
}
