import { BRAND, MARK } from '../identity/brand.js';
import type { PdfDocument } from './pdf-document.js';

const MARGIN = 50;
const FONT_SIZE = 9;
const CELL_SIZE = 8;
const HEADING_SIZE = 12;
const TITLE_SIZE = 18;
/** In the upper margin of each page. */
const MARK_SIZE = 16;
const MARK_Y = 26;
const MARGIN_TOP = 64;
/** Width of the label column. */
const LABEL_WIDTH = 110;
/** Around the text of a cell. */
const CELL_PADDING = 3;
/** Space below a heading, so that it is never the last line of a page. */
const HEADING_ROOM = 60;

/** Options of a document made of sheets. */
export const SHEET_OPTIONS = {
  size: 'A4',
  margins: { top: MARGIN_TOP, bottom: MARGIN, left: MARGIN, right: MARGIN },
  bufferPages: true,
  tagged: true,
  displayTitle: true,
} satisfies PDFKit.PDFDocumentOptions;

/** Texts of the sheet itself. */
export interface SheetTexts {
  pageOf: (page: number, count: number) => string;
  /** At the end of a document with characters that the font lacks. */
  replaced: string;
}

/** A column of a table; `share` is its fraction of the width. */
export interface SheetColumn {
  title: string;
  share: number;
}

/** Writes from top to bottom with tags for accessibility, and adds page numbers at the end. */
export class PdfSheet {
  constructor(
    private readonly document: PdfDocument,
    private readonly texts: SheetTexts,
  ) {}

  heading(tag: 'H1' | 'H2' | 'H3', text: string): void {
    const { document } = this;
    if (tag !== 'H1') this.makeRoom(HEADING_ROOM);
    this.piece(tag, () => {
      if (tag !== 'H1') document.moveDown(0.8);
      document
        .font('Helvetica-Bold')
        .fontSize(tag === 'H1' ? TITLE_SIZE : tag === 'H2' ? HEADING_SIZE : FONT_SIZE)
        .fillColor(PDF_COLORS.text)
        .text(text, MARGIN)
        .moveDown(0.3);
    });
  }

  paragraph(text: string, font = 'Helvetica'): void {
    this.piece('P', () => {
      this.document
        .font(font)
        .fontSize(FONT_SIZE)
        .fillColor(PDF_COLORS.text)
        .text(text, MARGIN)
        .moveDown(0.3);
    });
  }

  /** A label and its value side by side, in this order for screen readers. */
  fact(label: string, value: string): void {
    const { document } = this;
    const width = this.width - LABEL_WIDTH;
    this.piece('P', () => {
      document.fontSize(FONT_SIZE).font('Helvetica');
      this.makeRoom(document.heightOfString(value, { width }));
      const { y } = document;
      document.fillColor(PDF_COLORS.quiet).text(label, MARGIN, y, { width: LABEL_WIDTH });
      document
        .fillColor(PDF_COLORS.text)
        .text(value, MARGIN + LABEL_WIDTH, y, { width })
        .moveDown(0.15);
      document.x = MARGIN;
    });
  }

  /** Rows are never split between pages; the header is repeated on each page. */
  table(columns: readonly SheetColumn[], rows: readonly (readonly string[])[]): void {
    const { document } = this;
    const shares = columns.reduce((sum, { share }) => sum + share, 0);
    const widths = columns.map(({ share }) => (share / shares) * this.width);
    const titles = columns.map(({ title }) => title);
    const table = document.struct('Table');
    document.addStructure(table);
    this.row(table, { cells: titles, widths, isHead: true });
    for (const cells of rows) {
      if (document.y + this.rowHeight(cells, widths, false) > this.bottom) {
        document.addPage();
        this.row(table, { cells: titles, widths, isHead: true });
      }
      this.row(table, { cells, widths, isHead: false });
    }
    table.end();
    document.x = MARGIN;
    document.moveDown(0.5);
  }

  /** Images side by side, each with its caption, in rows of two. */
  images(images: readonly { content: Buffer; caption: string }[]): void {
    const { document } = this;
    const gap = 12;
    const width = (this.width - gap) / 2;
    for (let at = 0; at < images.length; at += 2) {
      const row = images.slice(at, at + 2).map(({ content, caption }) => {
        const { width: ownWidth, height } = openImage(document, content);
        return { content, caption, height: (height / ownWidth) * width };
      });
      const height = Math.max(...row.map((image) => image.height));
      this.makeRoom(height + 2 * FONT_SIZE);
      const { y } = document;
      for (const [place, { content, caption, height: own }] of row.entries()) {
        const x = MARGIN + place * (width + gap);
        document.addStructure(
          document.struct('Figure', { alt: caption }, () => {
            document.image(content, x, y, { width });
            document.rect(x, y, width, own).lineWidth(0.5).stroke(PDF_COLORS.line);
          }),
        );
        this.piece('Caption', () => {
          document.font('Helvetica').fontSize(CELL_SIZE).fillColor(PDF_COLORS.quiet);
          document.text(caption, x, y + own + 4, { width });
        });
      }
      document.x = MARGIN;
      document.y = y + height + 2 * FONT_SIZE + 6;
    }
  }

  end(): void {
    const { document, texts } = this;
    if (document.hasReplaced) this.paragraph(texts.replaced);
    const { start, count } = document.bufferedPageRange();
    for (let page = start; page < start + count; page++) {
      document.switchToPage(page);
      document.page.margins.bottom = 0;
      document.markContent('Artifact', { type: 'Pagination' });
      drawWordmark(document, { x: MARGIN, y: MARK_Y, size: MARK_SIZE });
      document
        .font('Helvetica')
        .fontSize(FONT_SIZE)
        .fillColor(PDF_COLORS.quiet)
        .text(texts.pageOf(page + 1, count), MARGIN, document.page.height - MARGIN / 2 - FONT_SIZE, {
          align: 'right',
          lineBreak: false,
          width: this.width,
        });
      document.endMarkedContent();
    }
    document.end();
  }

  private get width(): number {
    return this.document.page.width - 2 * MARGIN;
  }

  /** The lowest position for content. */
  private get bottom(): number {
    return this.document.page.height - MARGIN;
  }

  private makeRoom(height: number): void {
    if (this.document.y + height > this.bottom) this.document.addPage();
  }

  private row(
    table: PDFKit.PDFStructureElement,
    { cells, widths, isHead }: { cells: readonly string[]; widths: readonly number[]; isHead: boolean },
  ): void {
    const { document } = this;
    const height = this.rowHeight(cells, widths, isHead);
    const { y } = document;
    const line = document.struct('TR');
    table.add(line);
    document.markContent('Artifact');
    if (isHead) document.rect(MARGIN, y, this.width, height).fill(PDF_COLORS.band);
    document
      .moveTo(MARGIN, y + height)
      .lineTo(MARGIN + this.width, y + height)
      .lineWidth(0.5)
      .stroke(PDF_COLORS.line);
    document.endMarkedContent();
    let x = MARGIN;
    for (const [at, cell] of cells.entries()) {
      const width = widths[at] ?? 0;
      const left = x;
      line.add(
        document.struct(isHead ? 'TH' : 'TD', {}, () => {
          this.useCellFont(isHead);
          document.text(cell, left + CELL_PADDING, y + CELL_PADDING, { width: width - 2 * CELL_PADDING });
        }),
      );
      x += width;
    }
    line.end();
    document.x = MARGIN;
    document.y = y + height;
  }

  private rowHeight(cells: readonly string[], widths: readonly number[], isHead: boolean): number {
    this.useCellFont(isHead);
    const heights = cells.map((cell, at) =>
      this.document.heightOfString(cell, { width: (widths[at] ?? 0) - 2 * CELL_PADDING }),
    );
    return Math.max(CELL_SIZE, ...heights) + 2 * CELL_PADDING;
  }

  private useCellFont(isHead: boolean): void {
    this.document
      .font(isHead ? 'Helvetica-Bold' : 'Helvetica')
      .fontSize(CELL_SIZE)
      .fillColor(isHead ? PDF_COLORS.quiet : PDF_COLORS.text);
  }

  private piece(tag: string, draw: () => void): void {
    this.document.addStructure(this.document.struct(tag, {}, draw));
  }
}

/** The size of an image in pixels. */
function openImage(document: PDFKit.PDFDocument, content: Buffer): { width: number; height: number } {
  // pdfkit's types lack this method.
  return (document as unknown as { openImage(source: Buffer): { width: number; height: number } }).openImage(
    content,
  );
}

/** The dashboard's color tokens for print. */
export const PDF_COLORS = {
  text: '#15181d',
  quiet: '#586273',
  line: '#d3d8df',
  band: '#f7f8fa',
  good: { ink: '#0f7654', fill: '#e7f6f0', line: '#a9d9c6' },
  warn: { ink: '#9a5b00', fill: '#fff4e0', line: '#e6c38a' },
} as const;

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
