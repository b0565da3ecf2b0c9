import Pdf from 'pdfkit';
import { pdfText } from '../../shared/pdf-text.js';
import type { ExportRow } from '../domain/export-selection.js';

/** Records that the table shows; a sentence says where the others are. */
export const PDF_RECORDS_MAX = 5_000;

const MARGIN = 40;
const ROW_HEIGHT = 14;
const FONT_SIZE = 8;
/** Left edges of the table's columns, in points. */
const COLUMNS = [
  { title: 'Received (UTC)', x: 40, width: 106 },
  { title: 'Consent id', x: 148, width: 156 },
  { title: 'Analytics', x: 306, width: 38 },
  { title: 'Marketing', x: 346, width: 40 },
  { title: 'Preferences', x: 388, width: 48 },
  { title: 'Action', x: 438, width: 70 },
  { title: 'Hostname', x: 510, width: 132 },
  { title: 'Language', x: 644, width: 40 },
  { title: 'Surface', x: 686, width: 50 },
  { title: 'Shown', x: 738, width: 64 },
];
/**
 * This many digits of a configuration's hash distinguish a project's few hundred configurations.
 */
const HASH_DIGITS = 12;

export interface PdfCover {
  projectName: string;
  projectId: string;
  from: Date;
  to: Date;
  /** The filters as text; `none` where there are none. */
  filters: string;
  records: number;
  madeAt: Date;
  /** The order of the records, and the format that contains all of them where the table doesn't. */
  first: 'oldest' | 'newest';
  whole: 'csv' | 'json';
}

/** Content of the PDF. */
export interface RecordsPage {
  cover: PdfCover;
  /** At most `PDF_RECORDS_MAX`. */
  rows: ExportRow[];
}

/**
 * A PDF with a cover and a table. Pages carry their number. The standard fonts hold Latin letters; hostnames are ASCII
 * anyway.
 */
export function drawPdf({ cover, rows }: RecordsPage): PDFKit.PDFDocument {
  const document = new Pdf({
    size: 'A4',
    layout: 'landscape',
    margin: MARGIN,
    info: { Title: 'Consent records' },
  });
  let page = 1;
  drawCover(document, cover);
  drawPageNumber(document, page);
  let y = Infinity;
  for (const row of rows) {
    if (y > document.page.height - MARGIN - 2 * ROW_HEIGHT) {
      document.addPage();
      drawPageNumber(document, ++page);
      y = drawHeader(document);
    }
    drawRow(document, row, y);
    y += ROW_HEIGHT;
  }
  document.end();
  return document;
}

function drawCover(
  document: PDFKit.PDFDocument,
  { projectName, projectId, from, to, filters, records, madeAt, first, whole }: PdfCover,
): void {
  document.font('Helvetica-Bold').fontSize(24).text('Consent records', MARGIN, 120);
  document.font('Helvetica').fontSize(12).moveDown();
  const facts = [
    `Project: ${pdfText(projectName)} (${projectId})`,
    `Received from ${from.toISOString()} to ${to.toISOString()} (exclusive)`,
    `Filters: ${filters}`,
    `Records: ${records}`,
    `Created at ${madeAt.toISOString()}`,
  ];
  for (const fact of facts) document.text(fact).moveDown(0.5);
  if (records === 0) document.text('No records in this period.');
  if (records > PDF_RECORDS_MAX) {
    document.text(
      `This table shows the ${first} ${PDF_RECORDS_MAX} records. All ${records} records are in the ${whole.toUpperCase()} export of ` +
        `the same period (format=${whole}).`,
    );
  }
}

function drawHeader(document: PDFKit.PDFDocument): number {
  document.font('Helvetica-Bold').fontSize(FONT_SIZE);
  for (const { title, x, width } of COLUMNS) cell(document, title, x, MARGIN, width);
  document.font('Helvetica');
  return MARGIN + ROW_HEIGHT;
}

function drawRow(document: PDFKit.PDFDocument, row: ExportRow, y: number): void {
  const [id = '', receivedAt = '', analytics, marketing, preferences, action = '', ...shown] = row;
  const [hostname = '', configHash = '', language = '', surface = ''] = shown;
  const yes = (flag: string | undefined): string => (flag === 'true' ? 'yes' : 'no');
  const cells = [receivedAt, id, yes(analytics), yes(marketing), yes(preferences), action, hostname];
  cells.push(language, surface, configHash.slice(0, HASH_DIGITS));
  COLUMNS.forEach(({ x, width }, index) => cell(document, cells[index] ?? '', x, y, width));
}

function cell(document: PDFKit.PDFDocument, text: string, x: number, y: number, width: number): void {
  document.text(text, x, y, { width, height: ROW_HEIGHT, ellipsis: true, lineBreak: false });
}

function drawPageNumber(document: PDFKit.PDFDocument, page: number): void {
  document.font('Helvetica').fontSize(FONT_SIZE);
  document.text(`Page ${page}`, document.page.width - MARGIN - 80, document.page.height - MARGIN - 10, {
    width: 80,
    align: 'right',
    lineBreak: false,
  });
}
