import { describe, expect, it } from '@jest/globals';
import { showHidden } from './show-hidden';

describe(showHidden.name, () => {
  it.each([
    ['_ga', '_ga'],
    ['\u202Eoof\u202C', '[U+202E]oof[U+202C]'],
    ['a\u0000b\tc\nd\u007F\u0085', 'a[U+0000]b[U+0009]c[U+000A]d[U+007F][U+0085]'],
    ['se\u00ADssion\u200B\uFEFF\u2060', 'se[U+00AD]ssion[U+200B][U+FEFF][U+2060]'],
    ['a\u2028b\u2029', 'a[U+2028]b[U+2029]'],
    ['\u2066x\u2069\u061C', '[U+2066]x[U+2069][U+061C]'],
    ['a\u{E0041}', 'a[U+E0041]'],
    ['id\u200Dx\u200C', 'id[U+200D]x[U+200C]'],
    // A family, and a Persian word, need their joiners.
    ['👩‍👧', '👩‍👧'],
    ['می‌خواهم', 'می‌خواهم'],
  ])('shows %j as %j', (text, shown) => {
    expect(showHidden(text)).toBe(shown);
    expect(showHidden(shown)).toBe(shown);
  });
});
