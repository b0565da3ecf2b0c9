import Pdf from 'pdfkit';
import { translator } from '../../../platform/messages/messages.js';
import { drawWordmark, PDF_COLORS, pdfText } from '../../../platform/pdf/pdf-sheet.js';
import { type ExportRow, PDF_RECORDS_MAX } from '../domain/record-filter.js';
import type { PdfCover, RecordsPage } from './records-page.js';

const t = translator('en', 'records', 'scan-report');
const MARGIN = 40;
const ROW_HEIGHT = 16;
const FONT_SIZE = 8;
/** Above the table of each page: the wordmark and the project. */
const HEADER_HEIGHT = 34;
const MARK_SIZE = 14;
/** Left edges of the table's columns, in points. */
const COLUMNS = [
  { name: 'receivedAt', x: 40, width: 106 },
  { name: 'id', x: 148, width: 156 },
  { name: 'analytics', x: 306, width: 38 },
  { name: 'marketing', x: 346, width: 40 },
  { name: 'preferences', x: 388, width: 48 },
  { name: 'action', x: 438, width: 70 },
  { name: 'hostname', x: 510, width: 132 },
  { name: 'language', x: 644, width: 40 },
  { name: 'surface', x: 686, width: 50 },
  { name: 'shown', x: 738, width: 64 },
] as const;
/** Enough digits to distinguish a project's few hundred configurations. */
const HASH_DIGITS = 12;

/**
 * A PDF with a cover and a table, and numbered pages. The standard fonts contain Latin letters;
 * hostnames are ASCII.
 */
export function drawRecords({ cover, rows }: RecordsPage): PDFKit.PDFDocument {
  const document = new Pdf({
    size: 'A4',
    layout: 'landscape',
    margin: MARGIN,
    lang: 'en',
    displayTitle: true,
    info: { Title: t('recordsPdf.title') },
  });
  const perPage = rowsPerPage(document);
  const pages = 1 + Math.ceil(rows.length / perPage);
  drawCover(document, cover);
  drawFooter(document, { page: 1, pages, cover });
  for (let page = 2; page <= pages; page++) {
    document.addPage();
    drawHeader(document, cover);
    rows
      .slice((page - 2) * perPage, (page - 1) * perPage)
      .forEach((row, at) => drawRow(document, row, tableTop() + at * ROW_HEIGHT));
    drawFooter(document, { page, pages, cover });
  }
  document.end();
  return document;
}

/** Where the first row of a page begins. */
const tableTop = (): number => MARGIN + HEADER_HEIGHT + ROW_HEIGHT;

function rowsPerPage({ page }: PDFKit.PDFDocument): number {
  return Math.floor((page.height - MARGIN - ROW_HEIGHT - tableTop()) / ROW_HEIGHT);
}

function drawCover(document: PDFKit.PDFDocument, cover: PdfCover): void {
  const { projectName, projectId, from, to, filters, records, madeAt, first, whole } = cover;
  drawWordmark(document, { x: MARGIN, y: MARGIN, size: 22 });
  document.font('Helvetica-Bold').fontSize(26).text(t('recordsPdf.title'), MARGIN, 130).moveDown(0.6);
  document.fontSize(11);
  const facts = [
    [t('recordsPdf.project'), t('recordsPdf.projectName', { name: pdfText(projectName), id: projectId })],
    [t('recordsPdf.received'), t('recordsPdf.period', { from: from.toISOString(), to: to.toISOString() })],
    [t('recordsPdf.filters'), filters],
    [t('recordsPdf.records'), t('recordsPdf.count', { count: records })],
    [t('recordsPdf.created'), madeAt.toISOString()],
  ];
  for (const [label, value = ''] of facts) {
    document.font('Helvetica').fillColor(PDF_COLORS.quiet).text(`${label}: `, { continued: true });
    document.fillColor(PDF_COLORS.text).text(value).moveDown(0.5);
  }
  document.moveDown(0.5);
  if (records === 0) document.text(t('recordsPdf.none'));
  if (records > PDF_RECORDS_MAX) {
    document.text(
      t('recordsPdf.more', {
        first,
        shown: PDF_RECORDS_MAX,
        count: records,
        name: whole.toUpperCase(),
        format: whole,
      }),
    );
  }
}

function drawHeader(document: PDFKit.PDFDocument, { projectName }: PdfCover): void {
  const { width } = document.page;
  drawWordmark(document, { x: MARGIN, y: MARGIN - 8, size: MARK_SIZE });
  document.font('Helvetica').fontSize(FONT_SIZE).fillColor(PDF_COLORS.quiet);
  document.text(pdfText(projectName), width / 2, MARGIN - 5, {
    width: width / 2 - MARGIN,
    height: ROW_HEIGHT,
    align: 'right',
    lineBreak: false,
    ellipsis: true,
  });
  const y = MARGIN + HEADER_HEIGHT;
  document.rect(MARGIN, y - 5, width - 2 * MARGIN, ROW_HEIGHT).fill(PDF_COLORS.band);
  document.font('Helvetica-Bold').fillColor(PDF_COLORS.quiet);
  for (const { name, x, width: room } of COLUMNS) cell(document, t(`recordsPdf.columns.${name}`), x, y, room);
}

function drawRow(document: PDFKit.PDFDocument, row: ExportRow, y: number): void {
  const [id = '', receivedAt = '', analytics, marketing, preferences, action = '', ...shown] = row;
  const [hostname = '', configHash = '', language = '', surface = ''] = shown;
  const yes = (flag: string | undefined): string => t(flag === 'true' ? 'recordsPdf.yes' : 'recordsPdf.no');
  const cells = [receivedAt, id, yes(analytics), yes(marketing), yes(preferences), action, hostname];
  cells.push(language, surface, configHash.slice(0, HASH_DIGITS));
  document.font('Helvetica').fontSize(FONT_SIZE).fillColor(PDF_COLORS.text);
  COLUMNS.forEach(({ x, width }, index) => cell(document, cells[index] ?? '', x, y, width));
  const line = y + ROW_HEIGHT - 5;
  document
    .moveTo(MARGIN, line)
    .lineTo(document.page.width - MARGIN, line)
    .lineWidth(0.5)
    .stroke(PDF_COLORS.line);
}

function cell(document: PDFKit.PDFDocument, text: string, x: number, y: number, width: number): void {
  document.text(text, x, y, { width, height: ROW_HEIGHT, ellipsis: true, lineBreak: false });
}

function drawFooter(
  document: PDFKit.PDFDocument,
  { page, pages, cover }: { page: number; pages: number; cover: PdfCover },
): void {
  const { width, height } = document.page;
  const y = height - MARGIN - 10;
  document.font('Helvetica').fontSize(FONT_SIZE).fillColor(PDF_COLORS.quiet);
  document.text(t('recordsPdf.createdAt', { at: cover.madeAt.toISOString() }), MARGIN, y, {
    lineBreak: false,
  });
  document.text(t('report.page', { page, count: pages }), width - MARGIN - 100, y, {
    width: 100,
    align: 'right',
    lineBreak: false,
  });
}
