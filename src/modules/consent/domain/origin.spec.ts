import { describe, expect, it } from '@jest/globals';
import { originHost } from './origin.js';

describe('originHost (design §6.1)', () => {
  it.each([
    ['https://Shop.Example:8443', 'shop.example'],
    ['https://shop.example.', 'shop.example'],
    ['null', ''],
    ['file:///home/page.html', ''],
    ['nonsense', ''],
    [undefined, null],
  ])('of %s is %s', (origin, host) => {
    for (const production of [true, false]) expect(originHost(origin, { production })).toBe(host);
  });

  it.each(['http://localhost:5173', 'http://127.0.0.1', 'http://[::1]:3000'])(
    'spares %s in development, and not in production',
    (origin) => {
      expect(originHost(origin, { production: false })).toBeNull();
      expect(originHost(origin, { production: true })).toBe(new URL(origin).hostname);
    },
  );
});
