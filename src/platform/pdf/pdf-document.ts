import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { inflateSync } from 'node:zlib';
import Pdf from 'pdfkit';

/** A document that writes letters which PDF's standard fonts lack. */
export interface PdfDocument extends PDFKit.PDFDocument {
  /** Whether characters were replaced by question marks, because no font here has them. */
  hasReplaced: boolean;
}

interface FontkitFont {
  hasGlyphForCodePoint(codePoint: number): boolean;
  layout(
    text: string,
    features?: object,
    script?: string,
    language?: string,
    direction?: 'ltr' | 'rtl',
  ): unknown;
}

/** Members of pdfkit that its types lack. */
interface Internals {
  _font: { name: string; font: FontkitFont };
  _text(text: unknown, ...rest: unknown[]): unknown;
  _fragment(line: string, x: number, y: number, options: { width?: number }): void;
  widthOfString(text: string, options?: object): number;
}

/** Characters of PDF's standard fonts beyond Latin-1: the rest of Windows-1252. */
const BESIDE_LATIN_1 = '€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ';
const NOT_IN_STANDARD = new RegExp(`[^\\n\\u0020-\\u007E\\u00A0-\\u00FF${BESIDE_LATIN_1}]`, 'gu');
/** Scripts that the other fonts have and that pdfkit can shape. */
const SHAPED =
  /[\p{sc=Latin}\p{sc=Greek}\p{sc=Cyrillic}\p{sc=Armenian}\p{sc=Georgian}\p{sc=Hebrew}\p{sc=Arabic}\p{sc=Common}\p{sc=Inherited}]/u;
const NARROW_SPACES = /[\u2009\u202F]/g;

/** DejaVu Sans, of which only the used letters are embedded. Read when a text first needs it. */
const FONTS: Record<string, Buffer> = {};

function fontFile(weight: '400' | '700'): Buffer {
  const file = import.meta.resolve(`@fontsource/dejavu-sans/files/dejavu-sans-latin-${weight}-normal.woff`);
  return (FONTS[weight] ??= openType(readFileSync(fileURLToPath(file))));
}

/** Unpacks a WOFF file (W3C WOFF 1.0), because fontkit would inflate a table each time it reads from it. */
function openType(woff: Buffer): Buffer {
  const count = woff.readUInt16BE(12);
  const head = Buffer.alloc(12 + 16 * count);
  head.set(woff.subarray(4, 8));
  head.writeUInt16BE(count, 4);
  const tables: Buffer[] = [head];
  let end = head.length;
  for (let at = 0; at < count; at += 1) {
    const entry = 44 + 20 * at;
    const [offset = 0, packed = 0, size = 0] = [4, 8, 12].map((member) => woff.readUInt32BE(entry + member));
    const bytes = woff.subarray(offset, offset + packed);
    const padded = Buffer.alloc(Math.ceil(size / 4) * 4);
    padded.set(packed < size ? inflateSync(bytes) : bytes);
    const target = 12 + 16 * at;
    // Its tag and checksum.
    head.set(woff.subarray(entry, entry + 4), target);
    head.set(woff.subarray(entry + 16, entry + 20), target + 4);
    head.writeUInt32BE(end, target + 8);
    head.writeUInt32BE(size, target + 12);
    tables.push(padded);
    end += padded.length;
  }
  return Buffer.concat(tables);
}

/**
 * A pdfkit document. A text with other letters than those of the standard fonts is written in an
 * embedded font, which has Latin, Greek, Cyrillic, Armenian, Georgian, Hebrew and Arabic; characters
 * that it lacks, such as Chinese ones, become question marks.
 */
export function createPdf(options: PDFKit.PDFDocumentOptions): PdfDocument {
  const document = Object.assign(new Pdf(options), { hasReplaced: false });
  const own = document as unknown as Internals;
  const { _text: write, _fragment: writeLine, widthOfString: measure } = own;
  let isEmbedded = false;
  let beginsRightToLeft = false;

  /** Calls `use` with the text that can be shown, while its font is selected. */
  const withFont = <Result>(text: unknown, use: (shown: string) => Result): Result => {
    const plain = String(text ?? '').replace(NARROW_SPACES, ' ');
    // pdfkit measures the words of a text that it is writing.
    if (isEmbedded || plain.search(NOT_IN_STANDARD) < 0) return use(plain);
    const { _font: standard } = own;
    const weight = standard.name.includes('Bold') ? '700' : '400';
    const name = `DejaVu Sans ${weight}`;
    document.registerFont(name, fontFile(weight)).font(name);
    const { font } = own._font;
    const shown = plain.replace(NOT_IN_STANDARD, (letter) =>
      SHAPED.test(letter) && font.hasGlyphForCodePoint(letter.codePointAt(0) ?? 0) ? letter : '?',
    );
    if (shown !== plain) document.hasReplaced = true;
    // Without letters of the embedded font, such as a text with a Chinese word.
    isEmbedded = shown.search(NOT_IN_STANDARD) >= 0;
    if (!isEmbedded) own._font = standard;
    beginsRightToLeft = BEGINS_RIGHT_TO_LEFT.test(shown);
    try {
      return use(shown);
    } finally {
      isEmbedded = false;
      own._font = standard;
    }
  };
  own._text = (text, ...rest) => withFont(text, (shown) => write.call(document, shown, ...rest));
  own.widthOfString = (text, given) => withFont(text, (shown) => measure.call(document, shown, given));
  own._fragment = (line, x, y, given) => {
    if (isEmbedded && (beginsRightToLeft || RIGHT_TO_LEFT.test(line))) writeBothWays(line, x, y, given);
    else writeLine.call(document, line, x, y, given);
  };
  const writeBothWays = (line: string, x: number, y: number, given: { width?: number }): void => {
    if (!beginsRightToLeft) {
      writeLine.call(document, line.replace(RIGHT_TO_LEFT_WORDS, joined), x, y, given);
      return;
    }
    const { font } = own._font;
    const { layout } = font;
    const align = given.width === undefined ? {} : { align: 'right' };
    font.layout = (run, features) => layout.call(font, run, features, scriptOf(run), undefined, 'rtl');
    // With features, pdfkit lays out the whole line at once.
    writeLine.call(document, turnedRuns(line.trimEnd()), x, y, { ...align, ...given, features: {} });
    font.layout = layout;
  };
  return document;
}

const RIGHT_TO_LEFT = /[\p{sc=Hebrew}\p{sc=Arabic}]/u;
const BEGINS_RIGHT_TO_LEFT = /^[^\p{L}]*[\p{sc=Hebrew}\p{sc=Arabic}]/u;
/** Words in a line of another direction: pdfkit lays out a word at a time, so spaces would keep their order. */
const RIGHT_TO_LEFT_WORDS = /[\p{sc=Hebrew}\p{sc=Arabic}]\S*(?: +[\p{sc=Hebrew}\p{sc=Arabic}]\S*)* /gu;
/** Numbers and words of the other direction within such a line, with what is between them. */
const LEFT_TO_RIGHT_RUN =
  /(?![\p{sc=Hebrew}\p{sc=Arabic}])[\p{L}\p{N}](?:[^\p{sc=Hebrew}\p{sc=Arabic}]*(?![\p{sc=Hebrew}\p{sc=Arabic}])[\p{L}\p{N}])?/gu;
/** OpenType tag: a line may begin with other letters. */
const scriptOf = (run: string): string => (/\p{sc=Arabic}/u.test(run) ? 'arab' : 'hebr');
const BRACKETS = '()[]{}<>«»';

const joined = (words: string): string => `${words.trimEnd().replaceAll(' ', '\u00A0')}  `;

/** The line is turned around as a whole, so its runs of the other direction are turned before; brackets are mirrored. */
function turnedRuns(line: string): string {
  const mirrored = line.replaceAll(
    /[()[\]{}<>«»]/g,
    (bracket) => BRACKETS[BRACKETS.indexOf(bracket) ^ 1] ?? bracket,
  );
  return mirrored.replaceAll(LEFT_TO_RIGHT_RUN, (run) => [...run].toReversed().join(''));
}
