/** Characters of PDF's standard fonts beyond Latin-1: the rest of Windows-1252. */
const BESIDE_LATIN_1 = '€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ';
const NOT_IN_FONT = new RegExp(`[^\\n\\u0020-\\u007E\\u00A0-\\u00FF${BESIDE_LATIN_1}]`, 'gu');

/** A text for the standard fonts: other characters become question marks. */
export function pdfText(text: string): string {
  return text.replaceAll(NOT_IN_FONT, '?');
}
