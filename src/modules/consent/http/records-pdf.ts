import { type MessageLanguage, translator } from '../../../platform/messages/messages.js';
import { artifact, PdfColumn } from '../../../platform/pdf/pdf-column.js';
import { createPdf, type PdfDocument } from '../../../platform/pdf/pdf-document.js';
import { drawWordmark, PDF_COLORS } from '../../../platform/pdf/pdf-sheet.js';
import {
  dateAndTime,
  languageName,
  periodInWords,
  regionName,
  shortTimes,
  zoneInWords,
} from '../../../platform/pdf/pdf-words.js';
import { type ExportRow, PDF_RECORDS_MAX } from '../domain/record-filter.js';
import type { PdfCover, RecordsPage } from './records-page.js';

const WIDTH = 841.89;
const HEIGHT = 595.28;
const MARGIN = 36;
const CONTENT = WIDTH - 2 * MARGIN;
const ROW_HEIGHT = 18.4;
const HEAD_HEIGHT = 18;
const SIZE = 8;
const ID_SIZE = 6;
/** Of each character, as a share of the size. */
const COURIER_WIDTH = 0.6;
const FITS_MAX = 1_000;
/** Where the table's head begins on the second page and the following. */
const TABLE_TOP = 60;
const BOTTOM = HEIGHT - 34;
const CATEGORIES = ['analytics', 'marketing', 'preferences'] as const;
const COUNTED = ['accept_all', 'reject_all', 'custom', 'withdraw'] as const;
/** The columns of the table, in points. */
const COLUMNS = [
  { name: 'receivedAt', width: 95 },
  { name: 'action', width: 68 },
  { name: 'analytics', width: 60 },
  { name: 'marketing', width: 60 },
  { name: 'preferences', width: 64 },
  { name: 'hostname', width: 117 },
  { name: 'region', width: 60 },
  { name: 'language', width: 62 },
  { name: 'banner', width: 52 },
  { name: 'id', width: 132 },
] as const;

type Words = ReturnType<typeof wordsIn>;
const wordsIn = (language: MessageLanguage) => translator(language, 'records', 'scan-report');

/** Shared by all pages. */
interface Drawing {
  document: PdfDocument;
  cover: PdfCover;
  t: Words;
  /** An instant in the table's short form. */
  time: (at: Date) => string;
  /** Names of codes are looked up once: a table has thousands of them and few different ones. */
  names: Map<string, string>;
  /** Texts as they fit into their columns. */
  fits: Map<string, string>;
}

/**
 * Records for people: what and of whom on the first page, with figures, and the first records; then
 * the others.
 */
export function drawRecords({ cover, rows }: RecordsPage): PDFKit.PDFDocument {
  const t = wordsIn(cover.language);
  const title = t('recordsPdf.title', { project: cover.projectName });
  const document = createPdf({
    size: 'A4',
    layout: 'landscape',
    margin: 0,
    lang: cover.language,
    displayTitle: true,
    info: { Title: title, CreationDate: cover.madeAt },
  });
  const drawing: Drawing = { document, cover, t, time: shortTimes(cover), names: new Map(), fits: new Map() };
  const top = drawCover(drawing, title);
  const onFirst = rowsBelow(top);
  const onOthers = rowsBelow(TABLE_TOP);
  const pages = 1 + Math.ceil(Math.max(0, rows.length - onFirst) / onOthers);
  let next = 0;
  for (let page = 1; page <= pages; page++) {
    if (page > 1) document.addPage();
    drawTop(drawing, page);
    const from = page === 1 ? top : TABLE_TOP;
    const shown = rows.slice(next, next + (page === 1 ? onFirst : onOthers));
    next += shown.length;
    if (shown.length > 0) drawTable(drawing, shown, from);
    drawFoot(drawing, { page, pages });
  }
  document.end();
  return document;
}

const rowsBelow = (top: number): number => Math.max(0, Math.floor((BOTTOM - top - HEAD_HEIGHT) / ROW_HEIGHT));

/** The title, the facts and the figures. Returns where the table begins. */
function drawCover({ document, cover, t }: Drawing, title: string): number {
  const { projectName: _name, controller, records, counts, first, whole } = cover;
  const zone = zoneInWords(cover.madeAt, cover);
  const left = new PdfColumn(document, { x: MARGIN, y: 44, width: 350 });
  left.text(title, { size: 19, lineHeight: 24, font: 'Helvetica-Bold' }, 'H1');
  const period =
    cover.from === null
      ? t('recordsPdf.until', { at: dateAndTime(cover.to, cover).text, zone })
      : t('recordsPdf.period', { period: periodInWords(cover.from, cover.to, cover), zone });
  left.text(period, { size: 9.75, lineHeight: 15, color: PDF_COLORS.quiet });
  const right = new PdfColumn(document, { x: WIDTH - MARGIN - 384, y: 47, width: 384 });
  const fact = (label: string, value: string): void =>
    right.fact(label, value, { labelWidth: 78, style: { size: 8.6, lineHeight: 11.4 } });
  const named = [controller.name, controller.contact].filter((each) => each !== null).join(', ');
  fact(t('recordsPdf.controller'), named || t('recordsPdf.noController'));
  fact(t('recordsPdf.filters'), filtersInWords(cover, t));
  if (counts === null || records === 0)
    fact(t('recordsPdf.counts.records'), records.toLocaleString(cover.language));
  const at = dateAndTime(cover.madeAt, cover).text;
  fact(
    t('recordsPdf.created'),
    cover.madeBy === null ? at : t('recordsPdf.createdBy', { at, name: cover.madeBy }),
  );
  let y = Math.max(left.y, right.y) + 10;
  if (counts !== null && records > 0) y = drawFigures({ document, cover, t }, y);
  const below = new PdfColumn(document, { x: MARGIN, y, width: CONTENT });
  if (records === 0) below.text(t('recordsPdf.none'));
  if (records > PDF_RECORDS_MAX)
    below.text(
      t('recordsPdf.more', {
        first,
        shown: PDF_RECORDS_MAX,
        count: records,
        name: whole.toUpperCase(),
        format: whole,
      }),
      { size: 8.6, lineHeight: 14 },
    );
  return below.y + 4;
}

function filtersInWords({ filters, language }: PdfCover, t: Words): string {
  const words = (Object.keys(filters) as (keyof typeof filters)[]).flatMap((name) => {
    const value = filters[name];
    if (value === undefined) return [];
    if (typeof value === 'boolean')
      return name === 'oneVisitor'
        ? [t('recordsPdf.filterNames.oneVisitor')]
        : [t(`recordsPdf.filterNames.${name as 'analytics'}`, { value: choice(value, t) })];
    const shown = name === 'action' ? actionInWords(value, t) : value;
    return [t(`recordsPdf.filterNames.${name as 'action'}`, { value: shown })];
  });
  if (words.length === 0) return t('recordsPdf.noFilters');
  const list = new Intl.ListFormat(language, { type: 'unit' }).format(words);
  return `${list.charAt(0).toUpperCase()}${list.slice(1)}`;
}

const choice = (isAllowed: boolean, t: Words): string =>
  t(isAllowed ? 'recordsPdf.allowed' : 'recordsPdf.refused');

function actionInWords(action: string, t: Words): string {
  switch (action) {
    case 'accept_all':
    case 'reject_all':
    case 'custom':
    case 'withdraw':
    case 'opt_out':
    case 'dismiss':
      return t(`recordsPdf.actions.${action}`);
    default:
      return action;
  }
}

/** How many records there are, by choice, and how many allowed each category. Returns the lower edge. */
function drawFigures({ document, cover, t }: Pick<Drawing, 'document' | 'cover' | 't'>, y: number): number {
  const counts = cover.counts as NonNullable<PdfCover['counts']>;
  const { records } = counts;
  const height = 54;
  const number = new Intl.NumberFormat(cover.language);
  const percent = new Intl.NumberFormat(cover.language, { style: 'percent' });
  const share = (count: number): string => percent.format(count / records).replace(/\s/, ' ');
  const cells = 1 + COUNTED.length;
  const last = 190;
  const width = (CONTENT - last) / cells;
  const column = new PdfColumn(document, { x: MARGIN, y, width });
  artifact(document, () => {
    document.roundedRect(MARGIN, y, CONTENT, height, 6).lineWidth(0.75).stroke(PDF_COLORS.line);
    for (let at = 1; at <= cells; at++)
      document
        .moveTo(MARGIN + at * width, y)
        .lineTo(MARGIN + at * width, y + height)
        .stroke(PDF_COLORS.line);
  });
  for (const [at, name] of (['records', ...COUNTED] as const).entries()) {
    const box = { x: MARGIN + at * width + 11, width: width - 16, tag: 'P' };
    const label = { size: 8.2, lineHeight: 11, color: PDF_COLORS.quiet };
    column.write(t(`recordsPdf.counts.${name}`), { ...box, ...label, y: y + 10 });
    const figure = number.format(counts[name]);
    column.write(figure, { ...box, y: y + 23, size: 15, lineHeight: 19, font: 'Helvetica-Bold' });
    if (name === 'records') continue;
    const beside = document.font('Helvetica-Bold').fontSize(15).widthOfString(figure) + 5;
    column.write(share(counts[name]), {
      ...label,
      x: box.x + beside,
      width: box.width - beside,
      tag: 'P',
      y: y + 29,
    });
  }
  const bars = MARGIN + cells * width + 11;
  for (const [at, name] of CATEGORIES.entries()) {
    const line = y + 9 + at * 12.6;
    const small = { size: 7.9, lineHeight: 11, tag: 'P', y: line };
    column.write(t(`recordsPdf.categories.${name}`), { ...small, x: bars, width: 62 });
    const bar = { x: bars + 64, width: 78 };
    artifact(document, () => {
      document.roundedRect(bar.x, line + 2.4, bar.width, 4, 2).fill(PDF_COLORS.line);
      const filled = (counts[name] / records) * bar.width;
      if (filled > 1) document.roundedRect(bar.x, line + 2.4, filled, 4, 2).fill(PDF_COLORS.good.ink);
    });
    column.write(share(counts[name]), { ...small, x: bar.x + bar.width + 6, width: 32 });
  }
  return y + height + 8;
}

function drawTable(drawing: Drawing, rows: ExportRow[], top: number): void {
  const { document, t } = drawing;
  let x = MARGIN;
  document.font('Helvetica-Bold').fontSize(7.9).fillColor(PDF_COLORS.quiet);
  for (const { name, width } of COLUMNS) {
    cell(document, t(`recordsPdf.columns.${name}`), { x, y: top + 4, width, isRight: name === 'id' });
    x += width;
  }
  const line = top + HEAD_HEIGHT - 1;
  document
    .moveTo(MARGIN, line)
    .lineTo(WIDTH - MARGIN, line)
    .lineWidth(1.1)
    .stroke(PDF_COLORS.text);
  for (const [at, row] of rows.entries()) drawRow(drawing, row, top + HEAD_HEIGHT + at * ROW_HEIGHT);
}

function drawRow(drawing: Drawing, row: ExportRow, y: number): void {
  const { document, cover, t, time, names } = drawing;
  const [
    id = '',
    receivedAt = '',
    analytics,
    marketing,
    preferences,
    action = '',
    hostname = '',
    ,
    language = '',
    ,
    extra,
  ] = row;
  const { region, bannerVersion } = (extra ? JSON.parse(extra) : {}) as {
    region?: unknown;
    bannerVersion?: unknown;
  };
  const named = (
    kind: string,
    code: string,
    name: (code: string, language: MessageLanguage) => string,
  ): string => {
    const key = `${kind} ${code}`;
    const known = names.get(key) ?? (code === '' ? '' : name(code, cover.language));
    names.set(key, known);
    return known;
  };
  const texts: Record<(typeof COLUMNS)[number]['name'], string> = {
    receivedAt: time(new Date(receivedAt)),
    action: actionInWords(action, t),
    analytics: choice(analytics === 'true', t),
    marketing: choice(marketing === 'true', t),
    preferences: choice(preferences === 'true', t),
    hostname,
    region: named('region', typeof region === 'string' ? region : '', regionName),
    language: named('language', language, languageName),
    banner: typeof bannerVersion === 'string' ? t('recordsPdf.version', { version: bannerVersion }) : '',
    id,
  };
  const allowed: Partial<Record<string, boolean>> = {
    analytics: analytics === 'true',
    marketing: marketing === 'true',
    preferences: preferences === 'true',
  };
  let x = MARGIN;
  for (const { name, width } of COLUMNS) {
    const isAllowed = allowed[name];
    if (isAllowed !== undefined) mark(document, { x, y: y + 5.2, isAllowed });
    const isId = name === 'id';
    document.font(isId ? 'Courier' : 'Helvetica').fontSize(isId ? ID_SIZE : SIZE);
    document.fillColor(isAllowed === false || isId ? PDF_COLORS.quiet : PDF_COLORS.text);
    const indent = isAllowed === undefined ? 0 : 9.5;
    const left = isId ? x + width - id.length * ID_SIZE * COURIER_WIDTH : x + indent;
    // Without a width: breaking lines would take twice the time of everything else.
    const text = isId || name === 'receivedAt' ? texts[name] : fitting(drawing, texts[name], width - indent);
    document.text(text, left, y + (isId ? 6 : 5), { lineBreak: false });
    x += width;
  }
  const line = y + ROW_HEIGHT;
  document
    .moveTo(MARGIN, line)
    .lineTo(WIDTH - MARGIN, line)
    .lineWidth(0.5)
    .stroke(PDF_COLORS.line);
}

/** A text for the current font, shortened to a column. Most texts of a table are in it many times. */
function fitting({ document, fits }: Drawing, text: string, width: number): string {
  const known = fits.get(text);
  if (known !== undefined) return known;
  let fitted = text;
  if (document.widthOfString(fitted) > width - 4) {
    while (fitted !== '' && document.widthOfString(`${fitted}…`) > width - 4) fitted = fitted.slice(0, -1);
    fitted = `${fitted}…`;
  }
  if (fits.size < FITS_MAX) fits.set(text, fitted);
  return fitted;
}

/** A filled square, or an empty one: colors are not enough in print. */
function mark(
  document: PDFKit.PDFDocument,
  { x, y, isAllowed }: { x: number; y: number; isAllowed: boolean },
): void {
  if (isAllowed) document.roundedRect(x, y, 6, 6, 1.4).fill(PDF_COLORS.good.ink);
  else
    document
      .roundedRect(x + 0.5, y + 0.5, 5, 5, 1)
      .lineWidth(1)
      .stroke('#8a94a3');
}

function cell(
  document: PDFKit.PDFDocument,
  text: string,
  { x, y, width, isRight }: { x: number; y: number; width: number; isRight: boolean },
): void {
  const align = isRight ? 'right' : 'left';
  document.text(text, x, y, {
    width: isRight ? width : width - 6,
    height: ROW_HEIGHT,
    align,
    ellipsis: true,
    lineBreak: false,
  });
}

function drawTop({ document, cover }: Drawing, page: number): void {
  drawWordmark(document, { x: MARGIN, y: 24, size: 13 });
  const text = page === 1 ? `Export ${cover.madeAt.toISOString().slice(0, 10)}` : cover.projectName;
  document.font('Helvetica').fontSize(8.2).fillColor(PDF_COLORS.quiet);
  document.text(text, WIDTH / 2, 27, {
    width: WIDTH / 2 - MARGIN,
    height: 12,
    align: 'right',
    ellipsis: true,
    lineBreak: false,
  });
}

function drawFoot({ document, t }: Drawing, { page, pages }: { page: number; pages: number }): void {
  const y = HEIGHT - 25;
  document
    .moveTo(MARGIN, y - 6)
    .lineTo(WIDTH - MARGIN, y - 6)
    .lineWidth(0.5)
    .stroke(PDF_COLORS.line);
  document.font('Helvetica').fontSize(7.1).fillColor(PDF_COLORS.quiet);
  const notes = [t('recordsPdf.legend'), ...(document.hasReplaced ? [t('report.replaced')] : [])];
  document.text(notes.join('  '), MARGIN, y, { lineBreak: false });
  document.text(t('report.page', { page, count: pages }), MARGIN, y, {
    width: CONTENT,
    align: 'right',
    lineBreak: false,
  });
}
