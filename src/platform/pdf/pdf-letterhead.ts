import { BRAND } from '../identity/brand.js';
import { MARK } from '../identity/wordmark.js';

/** The dashboard's color tokens for print. */
export const PDF_COLORS = { text: '#15181d', quiet: '#586273', line: '#d3d8df', band: '#f7f8fa' } as const;

/** Space between the mark and the name, and the name's size, as shares of the mark. */
const GAP = 0.4;
const NAME_SIZE = 0.75;

/** Draws the product's mark and name with their upper left corner at a point. */
export function drawWordmark(
  document: PDFKit.PDFDocument,
  { x, y, size }: { x: number; y: number; size: number },
): void {
  document
    .save()
    .translate(x, y)
    .scale(size / MARK.size)
    .roundedRect(0, 0, MARK.size, MARK.size, MARK.radius)
    .fill(MARK.color);
  document
    .path(MARK.check)
    .lineWidth(MARK.checkWidth)
    .lineCap('round')
    .lineJoin('round')
    .stroke(MARK.checkColor)
    .restore();
  const fontSize = size * NAME_SIZE;
  document
    .font('Helvetica-Bold')
    .fontSize(fontSize)
    .fillColor(PDF_COLORS.text)
    .text(BRAND, x + size * (1 + GAP), y + (size - fontSize) / 2 + fontSize * 0.05, { lineBreak: false });
}
