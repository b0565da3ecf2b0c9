import { describe, expect, it } from '@jest/globals';
import { parseDomains } from './domains.js';

describe(parseDomains.name, () => {
  it.each([
    [
      'a.example\nb.example, c.example;d.example  e.example',
      'a.example b.example c.example d.example e.example',
    ],
    ['https://www.a.example/shop?tea=1#top', 'www.a.example'],
    ['HTTP://A.example:8080', 'a.example'],
    ['a.example/', 'a.example'],
    ['a.example https://a.example', 'a.example'],
    ['not_a host! http://', 'not_a host! http://'],
    ['', ''],
  ])('%j gives %j', (text, names) => {
    expect(parseDomains(text).join(' ')).toBe(names);
  });
});
