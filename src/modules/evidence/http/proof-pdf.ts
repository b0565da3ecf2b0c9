import { BRAND } from '../../../platform/identity/brand.js';
import { uuidTimeMs } from '../../../platform/identity/ids.js';
import { artifact, PDF_TEXT, PdfColumn, type PdfTextStyle } from '../../../platform/pdf/pdf-column.js';
import { createPdf } from '../../../platform/pdf/pdf-document.js';
import { PDF_COLORS } from '../../../platform/pdf/pdf-sheet.js';
import { dateAndTime, languageName, regionName, zoneName } from '../../../platform/pdf/pdf-words.js';
import { type BannerText, CATEGORIES } from '../../publishing/domain/banner-text.js';
import { textShown } from '../../publishing/domain/configuration.js';
import type { ProofPage } from '../application/proof-pages.js';
import { contradictions } from '../domain/proof-facts.js';
import { drawProofAppendix, drawProofFrames, drawProofTexts } from './proof-appendix.js';
import { drawBanner, firstLayer } from './proof-banner.js';
import {
  PROOF_WIDTH,
  PROOF_MARGIN,
  PROOF_CONTENT,
  PROOF_LABEL,
  PROOF_FOOT,
  PROOF_BOTTOM,
  otherFieldsOf,
  proofWords,
  type ProofDrawing,
} from './proof-drawing.js';

const RIGHT_WIDTH = 241;
const GAP = 20;
const QUIET: PdfTextStyle = { ...PDF_TEXT, color: PDF_COLORS.quiet };

/**
 * A proof for people, such as an officer or a judge, tagged for screen readers: the answer in one
 * sentence, the choices, the banner as a picture, how to check it; hashes last. The texts of the
 * banner are on the next page. Only the proof file itself is evidence.
 */
export function drawProof(page: ProofPage): PDFKit.PDFDocument {
  const t = proofWords(page.language);
  const { record } = page.facts;
  const document = createPdf({
    size: 'A4',
    margin: 0,
    bufferPages: true,
    tagged: true,
    displayTitle: true,
    lang: page.language,
    info: { Title: t('proofPage.documentTitle', { id: String(record['id']) }), CreationDate: page.createdAt },
  });
  const { shown } = page;
  const text = shown && textShown(shown, typeof record['language'] === 'string' ? record['language'] : null);
  const isErasure = record['action'] === 'erase' && 'erasedAt' in record;
  const drawing = { document, page, record, isErasure, text, t };
  drawFirstPage(drawing);
  drawProofTexts(drawing);
  if (document.hasReplaced) {
    const end = new PdfColumn(document, { x: PROOF_MARGIN, y: PROOF_BOTTOM - 12, width: PROOF_CONTENT });
    end.text(t('proofPage.replaced'), PROOF_FOOT);
  }
  drawProofFrames(drawing);
  document.end();
  return document;
}

function drawFirstPage(drawing: ProofDrawing): void {
  const { document, isErasure, t } = drawing;
  const head = new PdfColumn(document, { x: PROOF_MARGIN, y: 74, width: PROOF_CONTENT });
  const kind = isErasure ? 'erasure' : 'record';
  head.text(
    t('proofPage.title', { kind }),
    { size: 9.75, lineHeight: 13.5, font: 'Helvetica-Bold', color: PDF_COLORS.quiet },
    'H1',
  );
  head.y += 3;
  head.text(sentence(drawing), { size: 15, lineHeight: 21.5, font: 'Helvetica-Bold' });
  head.y += 13;
  drawVerdict(head, drawing);
  const top = head.y + 15;
  const left = new PdfColumn(document, { x: PROOF_MARGIN, y: top, width: PROOF_CONTENT - RIGHT_WIDTH - GAP });
  const right = new PdfColumn(document, {
    x: PROOF_WIDTH - PROOF_MARGIN - RIGHT_WIDTH,
    y: top,
    width: RIGHT_WIDTH,
  });
  if (!isErasure) drawChoices(left, drawing);
  drawCircumstances(left, drawing);
  drawResponsible(left, drawing);
  if (!isErasure) drawShown(right, drawing);
  right.heading(t('proofPage.limits'));
  right.text(t(isErasure ? 'proofPage.provesErasure' : 'proofPage.proves'), QUIET);
  const foot = new PdfColumn(document, {
    x: PROOF_MARGIN,
    y: Math.max(left.y, right.y) + 15,
    width: PROOF_CONTENT,
  });
  drawCheck(foot, drawing);
  drawProofAppendix(foot.y + 12, drawing);
}

/** The answer: time, site, allowed and refused categories. */
function sentence({ record, page, isErasure, t }: ProofDrawing): string {
  const at = instantOf(record);
  const { date, time } = at ? dateAndTime(at, page) : { date: t('proofPage.unknownTime'), time: '' };
  if (isErasure) return t('proofPage.erased', { date, time, id: String(record['id']) });
  const list = (flag: boolean): string =>
    new Intl.ListFormat(page.language).format(
      CATEGORIES.filter((category) => record[category] === flag).map((category) =>
        titleOf(category, { page, t }),
      ),
    );
  const [allowed, refused] = [list(true), list(false)];
  const site = typeof record['hostname'] === 'string' ? record['hostname'] : t('proofPage.aSite');
  if (page.imported) {
    const kind = refused === '' ? 'allowed' : allowed === '' ? 'refused' : 'both';
    return t('proofPage.importedSentence', { kind, date, time, site, allowed, refused });
  }
  if (refused === '') return t('proofPage.allowedOnly', { date, time, site, allowed });
  if (allowed === '') return t('proofPage.refusedOnly', { date, time, site, refused });
  return t('proofPage.both', { date, time, site, allowed, refused });
}

function instantOf(record: Record<string, unknown>): Date | null {
  const at = new Date(String(record['receivedAt'] ?? record['erasedAt']));
  return Number.isNaN(at.getTime()) ? null : at;
}

const titleOf = (
  category: (typeof CATEGORIES)[number],
  { page, t }: Pick<ProofDrawing, 'page' | 't'>,
): string =>
  page.language === 'de'
    ? `„${t(`proofPage.categories.${category}`)}“`
    : t(`proofPage.categories.${category}`);

/** Proofs are checked before they are sent (evidence.md), so a page is only drawn of one that is right. */
function drawVerdict(column: PdfColumn, { document, page, record, t }: ProofDrawing): void {
  const { facts, newest, createdAt } = page;
  const isNewest = newest.signedAt !== null && facts.tree.size === newest.size;
  const verdict = isNewest
    ? t('proofPage.verifiedSince', { at: dateAndTime(newest.signedAt as Date, page).text })
    : t('proofPage.verified');
  const notes = contradictions(record, {
    signedAt: newest.signedAt,
    createdAt,
    isImported: page.imported !== null,
  });
  const { y } = column;
  const inner = new PdfColumn(document, { x: PROOF_MARGIN + 44, y: y + 10, width: PROOF_CONTENT - 56 });
  const width = PROOF_CONTENT - 56;
  const size = (text: string, bold: boolean): number => {
    document.font(bold ? 'Helvetica-Bold' : 'Helvetica').fontSize(bold ? 9.75 : 9);
    return document.heightOfString(text, {
      width,
      lineGap: 12.75 - document.currentLineHeight(true),
    });
  };
  const checked = t('proofPage.checked', { at: dateAndTime(createdAt, page).text });
  const noted = notes.map((each) => t('proofPage.note', { sentence: each }));
  const height =
    20 + size(verdict, true) + [checked, ...noted].reduce((sum, text) => sum + size(text, false), 0);
  const { fill, line, ink } = noted.length > 0 ? PDF_COLORS.warn : PDF_COLORS.good;
  artifact(document, () => {
    document.roundedRect(PROOF_MARGIN, y, PROOF_CONTENT, height, 6).lineWidth(0.75).fillAndStroke(fill, line);
    document.circle(PROOF_MARGIN + 22, y + 20, 10.5).fill(ink);
    document.lineWidth(1.6).lineCap('round').lineJoin('round');
    if (noted.length > 0)
      document
        .moveTo(PROOF_MARGIN + 22, y + 14.5)
        .lineTo(PROOF_MARGIN + 22, y + 21)
        .moveTo(PROOF_MARGIN + 22, y + 25)
        .lineTo(PROOF_MARGIN + 22, y + 25.2);
    else
      document
        .moveTo(PROOF_MARGIN + 17.5, y + 20.3)
        .lineTo(PROOF_MARGIN + 20.7, y + 23.5)
        .lineTo(PROOF_MARGIN + 26.5, y + 17);
    document.stroke('#ffffff');
  });
  inner.text(verdict, { size: 9.75, lineHeight: 12.75, font: 'Helvetica-Bold' });
  for (const text of [checked, ...noted]) inner.text(text, { ...PDF_TEXT, color: '#2f4a40' });
  column.y = y + height;
}

function drawChoices(column: PdfColumn, { document, record, t }: ProofDrawing): void {
  column.heading(t('proofPage.chosen'));
  const modes = (record['modes'] ?? {}) as Record<string, unknown>;
  const known = CATEGORIES.filter((category) => typeof record[category] === 'boolean');
  // Allowed categories come first.
  for (const category of known.toSorted((a, b) => Number(record[b]) - Number(record[a]))) {
    const isAllowed = record[category] === true;
    const { y } = column;
    artifact(document, () => drawMark(document, { x: PROOF_MARGIN, y: y - 2.5, isAllowed }));
    const box = { ...PDF_TEXT, y, tag: 'P' };
    column.write(t(`proofPage.categories.${category}`), {
      ...box,
      x: PROOF_MARGIN + 19,
      width: 78,
      font: 'Helvetica-Bold',
    });
    const mode = modes[category];
    const asked =
      mode === 'opt_in' || mode === 'opt_out' || mode === 'notice' || mode === 'off' ? mode : null;
    const choice = t(isAllowed ? 'proofPage.choices.allowed' : 'proofPage.choices.refused');
    column.write(choice, { ...box, x: PROOF_MARGIN + 98, width: 46 });
    if (asked)
      column.write(t(`proofPage.modes.${asked}`), {
        ...box,
        size: 8,
        x: PROOF_MARGIN + 146,
        width: 106,
        color: PDF_COLORS.quiet,
      });
    column.y = y + 17.5;
  }
  column.y += 7;
}

/** A filled box with a check, or an empty one with a cross. */
function drawMark(
  document: PDFKit.PDFDocument,
  { x, y, isAllowed }: { x: number; y: number; isAllowed: boolean },
): void {
  document.lineCap('round').lineJoin('round');
  if (isAllowed) {
    document.roundedRect(x, y, 12, 12, 3).fill(PDF_COLORS.good.ink);
    document
      .moveTo(x + 3, y + 6.3)
      .lineTo(x + 5.2, y + 8.5)
      .lineTo(x + 9.2, y + 3.9)
      .lineWidth(1.5)
      .stroke('#ffffff');
    return;
  }
  document
    .roundedRect(x + 0.5, y + 0.5, 11, 11, 2.6)
    .lineWidth(1)
    .stroke('#8a94a3');
  document
    .moveTo(x + 3.8, y + 3.8)
    .lineTo(x + 8.2, y + 8.2)
    .moveTo(x + 8.2, y + 3.8)
    .lineTo(x + 3.8, y + 8.2);
  document.lineWidth(1.4).stroke(PDF_COLORS.quiet);
}

function drawCircumstances(column: PdfColumn, drawing: ProofDrawing): void {
  const { record, page, isErasure, t } = drawing;
  const at = instantOf(record);
  const fact = (label: string, value: string): void => column.fact(label, value, { labelWidth: PROOF_LABEL });
  const { imported } = page;
  column.heading(t(imported ? 'proofPage.whenImported' : 'proofPage.when'));
  if (at && page.timeZone !== 'UTC')
    fact(t('proofPage.local'), `${dateAndTime(at, page).full} (${zoneName(at, page)})`);
  if (at) fact(t('proofPage.utc'), dateAndTime(at, { ...page, timeZone: 'UTC' }).full);
  if (imported) {
    const givenAt = new Date(uuidTimeMs(String(record['id'])));
    fact(t('proofPage.givenAt'), dateAndTime(givenAt, { ...page, timeZone: 'UTC' }).full);
    fact(t('proofPage.importedFrom'), t('proofPage.importedFile', { sha256: imported.fileSha256 }));
  }
  if (!isErasure) {
    const { hostname, region, device, language } = record;
    fact(t('proofPage.site'), typeof hostname === 'string' ? hostname : t('proofPage.notRecorded'));
    const known = [
      typeof region === 'string' && region !== '' ? regionName(region, page.language) : null,
      device === 'phone' || device === 'tablet' || device === 'desktop'
        ? t(`proofPage.devices.${device}`)
        : null,
      typeof language === 'string' ? languageName(language, page.language) : null,
    ].filter((each) => each !== null);
    fact(t('proofPage.circumstances'), known.join(', ') || t('proofPage.notRecorded'));
    fact(t('proofPage.how'), howChosen(drawing));
    const isNamed = otherFieldsOf(record).length > 0;
    fact(t('proofPage.visitor'), t(isNamed ? 'proofPage.namedVisitor' : 'proofPage.unknownVisitor'));
  }
  column.y += 6;
}

/** The button and where it was pressed, as far as the record names them. */
function howChosen({ record, text, t }: ProofDrawing): string {
  const { action, surface } = record;
  const from =
    surface === 'banner' ||
    surface === 'preferences' ||
    surface === 'link' ||
    surface === 'placeholder' ||
    surface === 'signal' ||
    surface === 'api'
      ? t(`proofPage.surfaces.${surface}`)
      : null;
  const button =
    text && from !== null && surface !== 'api' && surface !== 'signal'
      ? buttonOf(String(action), text)
      : null;
  if (button !== null && from !== null) return t('proofPage.pressed', { button, surface: from });
  const named =
    action === 'withdraw' || action === 'opt_out' || action === 'dismiss'
      ? t(`proofPage.actions.${action}`)
      : String(action);
  return from === null ? named : `${named}, ${from}`;
}

function buttonOf(action: string, { acceptAll, rejectAll, save }: BannerText): string | null {
  const buttons: Record<string, string> = { accept_all: acceptAll, reject_all: rejectAll, custom: save };
  return buttons[action] ?? null;
}

function drawResponsible(column: PdfColumn, { page, t }: ProofDrawing): void {
  const { name, contact } = page.controller;
  const fact = (label: string, value: string): void => column.fact(label, value, { labelWidth: PROOF_LABEL });
  column.heading(t('proofPage.who'));
  const controller = [name, contact].filter((each) => each !== null).join('\n');
  fact(t('proofPage.controller'), controller || t('proofPage.noController'));
  const host = `${BRAND} (${page.facts.tree.origin.split('/')[0]})`;
  fact(t('proofPage.keptBy'), t('proofPage.processor', { host }));
}

function drawShown(column: PdfColumn, { document, page, record, text, t }: ProofDrawing): void {
  const { shown } = page;
  column.heading(t('proofPage.saw'));
  if (typeof record['configHash'] !== 'string') column.text(t('proofPage.noHash'), QUIET);
  else if (!shown || !text) column.text(t('proofPage.notPublished'), QUIET);
  else if (!shown.banner.enabled || record['surface'] === 'api') column.text(t('proofPage.notOurs'), QUIET);
  else {
    const layer = firstLayer(shown, text, record);
    const isDark = record['theme'] === 'dark';
    const accent = isDark ? shown.banner.accentDark : shown.banner.accent;
    const alt = [layer.title, layer.description, ...layer.buttons].join(' ');
    column.y = drawBanner(document, {
      x: PROOF_WIDTH - PROOF_MARGIN - RIGHT_WIDTH,
      y: column.y,
      width: RIGHT_WIDTH,
      layer,
      accent,
      isDark,
      alt,
    });
    column.y += 5;
    const { policyVersion, bannerVersion, categories, services } = shown;
    const versions = { policyVersion: String(policyVersion), bannerVersion: String(bannerVersion) };
    const counts = { categories: categories.length + 1, services: services.length };
    column.text(t('proofPage.caption', { ...versions, ...counts }), {
      size: 7.9,
      lineHeight: 11.2,
      color: PDF_COLORS.quiet,
    });
  }
  column.y += 13;
}

function drawCheck(column: PdfColumn, { page, record, t }: ProofDrawing): void {
  const file = `consent-${String(record['id'])}.tlog-proof`;
  column.heading(t('proofPage.check'));
  const steps = [
    t('proofPage.getFile', { file }),
    t('proofPage.saveKeys', { keysUrl: `${page.serviceUrl}/.well-known/consent-log-keys` }),
    t('proofPage.run', { file }),
  ];
  for (const [index, step] of steps.entries()) column.text(`${index + 1}. ${step}`);
}
