import { describe, expect, it } from '@jest/globals';
import { deviceOf, visitedHost, languageOf, readVisit } from './visit.js';

describe(readVisit, () => {
  it.each([
    [{}, { banner: 'none', region: '*' }],
    [
      { banner: 'chosen', region: 'FR' },
      { banner: 'chosen', region: 'FR' },
    ],
    [
      { banner: 'ignored', region: 'US-CA' },
      { banner: 'ignored', region: 'US' },
    ],
    [{ region: 'XX' }, { banner: 'none', region: '*' }],
    [{ region: 'EU' }, { banner: 'none', region: '*' }],
    [{ region: { length: 2 } }, { banner: 'none', region: '*' }],
    [{ banner: 'shown' }, null],
    [{ banner: null }, null],
    [[], null],
    [null, null],
    ['none', null],
  ])('%j', (body, visit) => {
    expect(readVisit(body)).toEqual(visit);
  });
});

describe(languageOf, () => {
  it.each([
    ['de-CH,de;q=0.9,en;q=0.8', 'de'],
    ['EN', 'en'],
    ['fr;q=1', 'fr'],
    ['zz', '*'],
    ['deutsch', '*'],
    ['*', '*'],
    ['', '*'],
    [undefined, '*'],
  ])('%s is %s', (header, language) => {
    expect(languageOf(header)).toBe(language);
  });
});

describe(deviceOf, () => {
  it.each([
    ['Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/140.0.0.0 Safari/537.36', 'desktop'],
    ['Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1 Mobile/15E148', 'phone'],
    ['Mozilla/5.0 (Linux; Android 16) AppleWebKit/537.36 Chrome/140.0.0.0 Mobile Safari/537.36', 'phone'],
    ['Mozilla/5.0 (Linux; Android 16) AppleWebKit/537.36 Chrome/140.0.0.0 Safari/537.36', 'tablet'],
    ['Mozilla/5.0 (compatible; Somebot/2.1)', '*'],
    ['curl/8', '*'],
    [undefined, '*'],
  ])('%s is %s', (agent, device) => {
    expect(deviceOf(agent)).toBe(device);
  });
});

describe(visitedHost, () => {
  const example = { domains: ['example.com'], production: true };
  const anybody = { domains: [], production: true };
  const longest = `${'a'.repeat(241)}.example.com`;

  it.each([
    ['https://example.com', example, 'example.com'],
    ['https://www.example.com:8443', example, 'www.example.com'],
    ['https://evilexample.com', example, null],
    ['https://example.com.evil.test', example, null],
    ['http://localhost:3000', example, null],
    ['http://localhost:3000', { ...example, production: false }, 'localhost'],
    ['null', example, null],
    [undefined, example, null],
    [undefined, anybody, null],
    ['null', anybody, '*'],
    ['https://any.example', anybody, 'any.example'],
    [`https://${longest}`, example, longest],
    [`https://${longest}`, anybody, longest],
    [`https://a${longest}`, example, null],
    [`https://a${longest}`, anybody, null],
    [`http://${'a'.repeat(4000)}.example.com`, example, null],
  ])('%s with %j is %s', (origin, rules, host) => {
    expect(visitedHost(origin, rules)).toBe(host);
  });
});
