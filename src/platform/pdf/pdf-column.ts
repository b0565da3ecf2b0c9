import { PDF_COLORS } from './pdf-sheet.js';

export interface PdfTextStyle {
  size: number;
  lineHeight: number;
  font?: 'Helvetica' | 'Helvetica-Bold' | 'Courier';
  color?: string;
}

export const PDF_TEXT: PdfTextStyle = { size: 9, lineHeight: 12.75 };
const HEADING: PdfTextStyle = { size: 9, lineHeight: 12, font: 'Helvetica-Bold' };

/**
 * Writes from top to bottom in a part of the page's width, tagged for screen readers. It never adds a
 * page: its owner places columns side by side and compares their ends.
 */
export class PdfColumn {
  /** Where the next piece begins. */
  y: number;

  constructor(
    private readonly document: PDFKit.PDFDocument,
    private readonly area: { x: number; y: number; width: number },
  ) {
    this.y = area.y;
  }

  /** A heading with a line below it. */
  heading(text: string, tag = 'H2'): void {
    const { document, area } = this;
    this.text(text, HEADING, tag);
    this.y += 3;
    artifact(document, () =>
      document
        .moveTo(area.x, this.y)
        .lineTo(area.x + area.width, this.y)
        .lineWidth(0.75)
        .stroke(PDF_COLORS.line),
    );
    this.y += 6;
  }

  text(text: string, style: PdfTextStyle = PDF_TEXT, tag = 'P'): void {
    this.y += this.write(text, { ...style, x: this.area.x, y: this.y, width: this.area.width, tag });
  }

  /** A label and its value side by side, in this order for screen readers. */
  fact(
    label: string,
    value: string,
    { labelWidth, style = PDF_TEXT }: { labelWidth: number; style?: PdfTextStyle },
  ): void {
    const { x, width } = this.area;
    const labelStyle = { ...style, font: 'Helvetica', color: PDF_COLORS.quiet } as const;
    const left = this.write(label, { ...labelStyle, x, y: this.y, width: labelWidth - 6, tag: 'P' });
    const box = { x: x + labelWidth, y: this.y, width: width - labelWidth };
    this.y += Math.max(left, this.write(value, { ...style, ...box, tag: 'P' })) + style.lineHeight * 0.3;
  }

  /** Draws at a fixed place, and returns the height. */
  write(
    text: string,
    style: PdfTextStyle & { x: number; y: number; width: number; tag: string; lines?: number },
  ): number {
    const { document } = this;
    document.font(style.font ?? 'Helvetica').fontSize(style.size);
    const lineGap = style.lineHeight - document.currentLineHeight(true);
    const options = {
      width: style.width,
      lineGap,
      ...(style.lines !== undefined && { height: style.lines * style.lineHeight, ellipsis: true }),
    };
    const whole = document.heightOfString(text, options);
    const height = style.lines === undefined ? whole : Math.min(whole, style.lines * style.lineHeight);
    document.addStructure(
      document.struct(style.tag, {}, () => {
        document.fillColor(style.color ?? PDF_COLORS.text).text(text, style.x, style.y, options);
      }),
    );
    return height;
  }
}

/** Draws lines and boxes, which screen readers skip. */
export function artifact(document: PDFKit.PDFDocument, draw: () => void): void {
  document.markContent('Artifact');
  draw();
  document.endMarkedContent();
}
