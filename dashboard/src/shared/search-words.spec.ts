import { describe, expect, it } from '@jest/globals';
import { searchWords } from './search-words.js';

describe('searchWords', () => {
  it.each([
    ['optik 5', ['Optik Schäfer 5'], true],
    ['SCHAFER', ['Optik Schäfer 5'], true],
    ['schaefer 5', ['Optik Schäfer 5'], true],
    // The same letters as one code point, and as two.
    ['scha\u0308fer', ['Optik Sch\u00e4fer 5'], true],
    ['sch\u00e4fer', ['Optik Scha\u0308fer 5'], true],
    ['strasse', ['Café Hauptstraße'], true],
    ['smorrebrod', ['Smørrebrød'], true],
    ['lodz', ['Łódź'], true],
    ['5 optik', ['Optik Schäfer 5'], true],
    ['optik 6', ['Optik Schäfer 5'], false],
    // Words may be in different texts, but none spans two.
    ['optik example', ['Optik', 'shop.example'], true],
    ['tikshop', ['Optik', 'shop.example'], false],
    ['  ', ['Optik'], true],
  ])('%j in %j: %j', (typed, texts, expected) => {
    expect(searchWords(typed)(...texts)).toBe(expected);
  });
});
