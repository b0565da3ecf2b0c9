import { buffer } from 'node:stream/consumers';
import Pdf from 'pdfkit';
import { PdfSheet, SHEET_OPTIONS } from '../../../platform/pdf/pdf-sheet.js';
import { answerTasks } from '../../../platform/threads/thread-tasks.js';
import { textShown } from '../../publishing/domain/configuration.js';
import type { ProofPage } from '../application/proof-pages.js';
import { contradictions, type EntryFacts } from '../domain/proof-facts.js';

const CATEGORIES = ['analytics', 'marketing', 'preferences'];
/** Members of a record with their own line; the others are additional fields. */
const KNOWN = [
  'schemaVersion',
  'id',
  'projectId',
  'action',
  'hostname',
  'receivedAt',
  'erasedAt',
  'configHash',
  'language',
  'surface',
  ...CATEGORIES,
];

const TEXTS = {
  pageOf: (page: number, count: number) => `Page ${page} of ${count}`,
  replaced:
    'A ? replaces characters that the font of this page lacks; the stored and published texts contain them.',
};

/**
 * A proof as one or two readable pages, tagged for screen readers. Only the proof file itself is
 * evidence.
 */
function drawProof(page: ProofPage): PDFKit.PDFDocument {
  const title = `Proof of the consent record ${String(page.facts.record['id'])}`;
  const document = new Pdf({
    ...SHEET_OPTIONS,
    lang: 'en',
    info: { Title: title, CreationDate: page.createdAt },
  });
  const sheet = new PdfSheet(document, TEXTS);
  drawOverview(sheet, page);
  drawRecord(sheet, page.facts.record);
  drawShown(sheet, page);
  drawLog(sheet, page);
  drawCheck(sheet, page);
  sheet.end();
  return document;
}

function drawOverview(sheet: PdfSheet, { facts, createdAt, newest }: ProofPage): void {
  const isErasure = facts.record['action'] === 'erase' && 'erasedAt' in facts.record;
  const host = facts.tree.origin.split('/')[0] ?? '';
  sheet.heading('H1', isErasure ? 'Proof that a consent record was erased' : 'Proof of a consent record');
  sheet.paragraph(
    `${isErasure ? 'This erasure' : 'This record, byte for byte,'} was stored by ${host} no later than the signed checkpoint ` +
      'below, and nothing in the log before that checkpoint was changed or removed since without a trace. ' +
      'It does not prove who clicked.',
  );
  sheet.paragraph(
    'This page is for people to read. The proof itself is the proof file, which anyone can verify without the service.',
  );
  sheet.fact('Stored', String(facts.record['receivedAt'] ?? facts.record['erasedAt']));
  sheet.fact('Signed', signedInWords(facts.tree, newest));
  sheet.fact('Page created', createdAt.toISOString());
  const signedAt = newest.signedAt;
  for (const sentence of contradictions(facts.record, { signedAt, createdAt }))
    sheet.paragraph(`Note: ${sentence} These dates contradict each other, so at least one of them is wrong.`);
}

/** The signing time is known only for the newest checkpoint. */
function signedInWords({ size }: EntryFacts, newest: ProofPage['newest']): string {
  const at = newest.signedAt?.toISOString() ?? 'an unknown time';
  return size === newest.size ? at : `before ${at}, when the newest checkpoint was signed`;
}

function drawRecord(sheet: PdfSheet, record: Record<string, unknown>): void {
  sheet.heading('H2', 'The record');
  for (const [label, name] of [
    ['Consent ID', 'id'],
    ['Project', 'projectId'],
    ['Received', 'receivedAt'],
    ['Erased', 'erasedAt'],
    ['Action', 'action'],
    ['Hostname', 'hostname'],
    ['Language', 'language'],
    ['Surface', 'surface'],
    ['Configuration', 'configHash'],
  ] as const)
    if (typeof record[name] === 'string') sheet.fact(label, record[name]);
  for (const category of CATEGORIES)
    if (category in record)
      sheet.fact(titleCase(category), record[category] === true ? 'given' : 'not given');
  const others = Object.entries(record).filter(([name]) => !KNOWN.includes(name));
  if (others.length > 0) sheet.fact('Other fields', JSON.stringify(Object.fromEntries(others)));
}

function drawShown(sheet: PdfSheet, { facts: { record }, shown }: ProofPage): void {
  if ('erasedAt' in record) return;
  sheet.heading('H2', 'Banner that was shown');
  const { configHash, language } = record;
  if (typeof configHash !== 'string')
    return sheet.paragraph('The record has no configuration hash, so the banner is unknown.');
  const recorded = typeof language === 'string' ? language : null;
  const text = shown && textShown(shown, recorded);
  if (!shown || !text)
    return sheet.paragraph("The project has not published a configuration with the record's hash.");
  sheet.paragraph(
    `The published configuration with this hash has these texts (policy version ${shown.policyVersion}, banner version ` +
      `${shown.bannerVersion}). The website belongs to its owner: this does not prove that the site showed them unaltered.`,
  );
  sheet.fact(
    'Language',
    text.language === recorded ? text.language : `${text.language}, the default language`,
  );
  sheet.fact('Title', text.title);
  sheet.fact('Text', text.description);
  sheet.fact('Buttons', [text.acceptAll, text.rejectAll, text.choose, text.save].join(' · '));
  for (const { key, title, description } of text.categories)
    if (shown.categories.includes(key)) sheet.fact(titleCase(key), `${title}: ${description}`);
  if (shown.policyUrl !== null) sheet.fact('Policy', shown.policyUrl);
}

function drawLog(sheet: PdfSheet, { facts }: ProofPage): void {
  sheet.heading('H2', 'Entry in the log');
  const place = (label: string, { origin, index, size, root, keys }: EntryFacts): void => {
    sheet.fact(label, `${origin}, entry ${index} of ${size} (the first is 0)`);
    sheet.fact('Root', root);
    sheet.fact('Signed by', keys.join(', '));
  };
  place('Project log', facts.tree);
  if (facts.rootLog) place('Root log', facts.rootLog);
  else sheet.fact('Root log', 'It did not cover this checkpoint yet when this page was created.');
  sheet.fact('Salt', facts.salt);
  sheet.fact('Commitment', `${facts.commitment} = SHA-256(salt, canonical record)`);
  sheet.fact('Leaf', facts.leaf);
}

function drawCheck(sheet: PdfSheet, { facts: { record }, serviceUrl }: ProofPage): void {
  const file = `consent-${String(record['id'])}.tlog-proof`;
  sheet.heading('H2', 'Verify offline');
  sheet.paragraph(
    `1. Get the proof file ${file} from the sender of this page, or with "Download proof" in the dashboard.`,
  );
  sheet.paragraph(`2. Save the keys of ${serviceUrl}/.well-known/consent-log-keys as keys.txt.`);
  sheet.paragraph("3. Run verify.cjs, one script from the service's source that requires only Node:");
  sheet.paragraph(`node verify.cjs proof ${file} keys.txt`, 'Courier');
  sheet.paragraph(
    'Or open verify.html from the same folder in a browser. Hashes above are in base64, as in the proof.',
  );
}

const titleCase = (word: string): string => word.slice(0, 1).toUpperCase() + word.slice(1);

answerTasks<ProofPage, Uint8Array>((page) => buffer(drawProof(page)));
