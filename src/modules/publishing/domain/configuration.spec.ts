import { describe, expect, it } from '@jest/globals';
import { defaultText } from './default-texts.js';
import { textShown } from './configuration.js';

const configuration = { texts: [defaultText('en'), defaultText('de')], defaultLanguage: 'en' };

describe('the words that a visitor was shown', () => {
  it.each([
    ['de', 'de'],
    ['DE', 'de'],
    ['en', 'en'],
    // No language that the banner sends.
    ['de-CH', 'en'],
    ['fr', 'en'],
    [null, 'en'],
  ])('with the language %s are those in %s', (told, shown) => {
    expect(textShown(configuration, told)?.language).toBe(shown);
  });

  it('are not known where there are none', () => {
    expect(textShown({ ...configuration, texts: [] }, 'de')).toBeNull();
  });
});
