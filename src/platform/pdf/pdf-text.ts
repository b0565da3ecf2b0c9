/** What the standard fonts of PDF hold beside Latin-1: the other half of Windows-1252. */
const BESIDE_LATIN_1 = '€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ';
const NOT_IN_FONT = new RegExp(`[^\\n\\u0020-\\u007E\\u00A0-\\u00FF${BESIDE_LATIN_1}]`, 'gu');

/** A text as the standard fonts can show it: other letters are a question mark each, rather than nonsense. */
export function pdfText(text: string): string {
  return text.replaceAll(NOT_IN_FONT, '?');
}
