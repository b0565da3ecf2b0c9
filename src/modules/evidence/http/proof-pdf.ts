import Pdf from 'pdfkit';
import { translator } from '../../../platform/messages/messages.js';
import { PdfSheet, SHEET_OPTIONS } from '../../../platform/pdf/pdf-sheet.js';
import { textShown } from '../../publishing/domain/configuration.js';
import type { ProofPage } from '../application/proof-pages.js';
import { contradictions, type EntryFacts } from '../domain/proof-facts.js';

const t = translator('en', 'proof', 'scan-report');
const CATEGORIES = ['analytics', 'marketing', 'preferences'] as const;
/** Members of a record, in the order of the page. */
const FIELDS = [
  'id',
  'projectId',
  'receivedAt',
  'erasedAt',
  'action',
  'hostname',
  'language',
  'surface',
  'configHash',
] as const;
/** Members of a record with their own line; the others are additional fields. */
const KNOWN: readonly string[] = ['schemaVersion', ...FIELDS, ...CATEGORIES];

/**
 * A proof as one or two readable pages, tagged for screen readers. Only the proof file itself is
 * evidence.
 */
export function drawProof(page: ProofPage): PDFKit.PDFDocument {
  const title = t('proofPage.documentTitle', { id: String(page.facts.record['id']) });
  const document = new Pdf({
    ...SHEET_OPTIONS,
    lang: 'en',
    info: { Title: title, CreationDate: page.createdAt },
  });
  const sheet = new PdfSheet(document, {
    pageOf: (number, count) => t('report.page', { page: number, count }),
    replaced: t('proofPage.replaced'),
  });
  drawOverview(sheet, page);
  drawRecord(sheet, page.facts.record);
  drawShown(sheet, page);
  drawLog(sheet, page);
  drawCheck(sheet, page);
  sheet.end();
  return document;
}

function drawOverview(sheet: PdfSheet, { facts, createdAt, newest }: ProofPage): void {
  const kind = facts.record['action'] === 'erase' && 'erasedAt' in facts.record ? 'erasure' : 'record';
  const host = facts.tree.origin.split('/')[0] ?? '';
  sheet.heading('H1', t('proofPage.title', { kind }));
  sheet.paragraph(t('proofPage.statement', { kind, host }));
  sheet.paragraph(t('proofPage.forPeople'));
  sheet.fact(t('proofPage.stored'), String(facts.record['receivedAt'] ?? facts.record['erasedAt']));
  sheet.fact(t('proofPage.signed'), signedInWords(facts.tree, newest));
  sheet.fact(t('proofPage.created'), createdAt.toISOString());
  const signedAt = newest.signedAt;
  for (const sentence of contradictions(facts.record, { signedAt, createdAt }))
    sheet.paragraph(t('proofPage.note', { sentence }));
}

/** The signing time is known only for the newest checkpoint. */
function signedInWords({ size }: EntryFacts, newest: ProofPage['newest']): string {
  const at = newest.signedAt?.toISOString() ?? t('proofPage.unknownTime');
  return size === newest.size ? at : t('proofPage.signedBefore', { time: at });
}

function drawRecord(sheet: PdfSheet, record: Record<string, unknown>): void {
  sheet.heading('H2', t('proofPage.record'));
  for (const name of FIELDS)
    if (typeof record[name] === 'string') sheet.fact(t(`proofPage.fields.${name}`), record[name]);
  for (const category of CATEGORIES)
    if (category in record) {
      const given = record[category] === true ? 'yes' : 'no';
      sheet.fact(t(`proofPage.categories.${category}`), t('proofPage.given', { given }));
    }
  const others = Object.entries(record).filter(([name]) => !KNOWN.includes(name));
  if (others.length > 0) sheet.fact(t('proofPage.otherFields'), JSON.stringify(Object.fromEntries(others)));
}

function drawShown(sheet: PdfSheet, { facts: { record }, shown }: ProofPage): void {
  if ('erasedAt' in record) return;
  sheet.heading('H2', t('proofPage.shown'));
  const { configHash, language } = record;
  if (typeof configHash !== 'string') return sheet.paragraph(t('proofPage.noHash'));
  const recorded = typeof language === 'string' ? language : null;
  const text = shown && textShown(shown, recorded);
  if (!shown || !text) return sheet.paragraph(t('proofPage.notPublished'));
  sheet.paragraph(
    t('proofPage.shownText', {
      policyVersion: String(shown.policyVersion),
      bannerVersion: String(shown.bannerVersion),
    }),
  );
  sheet.fact(
    t('proofPage.fields.language'),
    text.language === recorded ? text.language : t('proofPage.defaultLanguage', { language: text.language }),
  );
  sheet.fact(t('proofPage.bannerTitle'), text.title);
  sheet.fact(t('proofPage.bannerText'), text.description);
  sheet.fact(t('proofPage.buttons'), [text.acceptAll, text.rejectAll, text.choose, text.save].join(' · '));
  for (const { key, title, description } of text.categories)
    if (shown.categories.includes(key))
      sheet.fact(t(`proofPage.categories.${key}`), `${title}: ${description}`);
  if (shown.policyUrl !== null) sheet.fact(t('proofPage.policy'), shown.policyUrl);
}

function drawLog(sheet: PdfSheet, { facts }: ProofPage): void {
  sheet.heading('H2', t('proofPage.log'));
  const place = (label: string, { origin, index, size, root, keys }: EntryFacts): void => {
    sheet.fact(label, t('proofPage.place', { origin, index: String(index), size: String(size) }));
    sheet.fact(t('proofPage.root'), root);
    sheet.fact(t('proofPage.signedBy'), keys.join(', '));
  };
  place(t('proofPage.projectLog'), facts.tree);
  if (facts.rootLog) place(t('proofPage.rootLog'), facts.rootLog);
  else sheet.fact(t('proofPage.rootLog'), t('proofPage.noRootLog'));
  sheet.fact(t('proofPage.salt'), facts.salt);
  sheet.fact(t('proofPage.commitment'), t('proofPage.commitmentOf', { commitment: facts.commitment }));
  sheet.fact(t('proofPage.leaf'), facts.leaf);
}

function drawCheck(sheet: PdfSheet, { facts: { record }, serviceUrl }: ProofPage): void {
  const file = `consent-${String(record['id'])}.tlog-proof`;
  sheet.heading('H2', t('proofPage.verify'));
  sheet.paragraph(t('proofPage.getFile', { file }));
  sheet.paragraph(t('proofPage.saveKeys', { keysUrl: `${serviceUrl}/.well-known/consent-log-keys` }));
  sheet.paragraph(t('proofPage.run'));
  sheet.paragraph(`node verify.cjs proof ${file} keys.txt`, 'Courier');
  sheet.paragraph(t('proofPage.orPage'));
}
