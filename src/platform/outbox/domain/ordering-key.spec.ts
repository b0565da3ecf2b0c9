import { describe, expect, it } from '@jest/globals';
import { namedKey } from './ordering-key.js';

describe(namedKey.name, () => {
  it('is the beginning of the SHA-256 with version 8 and the variant of RFC 9562', () => {
    // sha256sum of the same bytes: 9f86d081 884c 7d65 9a2f eaa0c55ad015 a3bf…
    expect(namedKey('test')).toBe('9f86d081-884c-8d65-9a2f-eaa0c55ad015');
    // …b94d27b9 934d 3e08 a52e 52d7da7dabfa c484…
    expect(namedKey('hello world')).toBe('b94d27b9-934d-8e08-a52e-52d7da7dabfa');
  });

  it('sets the two bits of the variant and keeps the others, whatever the digit was', () => {
    const variants = new Set(Array.from({ length: 200 }, (_, n) => namedKey(`name ${n}`)[19]));
    expect(variants).toEqual(new Set(['8', '9', 'a', 'b']));
  });

  it('gives another name another key, and the same name the same', () => {
    expect(namedKey('publishing:a')).not.toBe(namedKey('publishing:b'));
    expect(namedKey('publishing:a')).toBe(namedKey('publishing:a'));
  });
});
