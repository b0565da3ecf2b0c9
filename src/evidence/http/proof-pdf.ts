import Pdf from 'pdfkit';
import { textShown } from '../../publishing/domain/text-shown.js';
import { drawWordmark, PDF_COLORS } from '../../shared/pdf-letterhead.js';
import { pdfText } from '../../shared/pdf-text.js';
import type { ProofPage } from '../application/proof-pages.js';
import type { EntryFacts } from '../domain/proof-facts.js';

const MARGIN = 50;
const FONT_SIZE = 9;
const HEADING_SIZE = 12;
const TITLE_SIZE = 18;
/** In the upper margin of each page. */
const MARK_SIZE = 16;
const MARK_Y = 26;
const MARGIN_TOP = 64;
/** Width of the label column. */
const LABEL_WIDTH = 110;
const CATEGORIES = ['analytics', 'marketing', 'preferences'];
/** Members of a record that have their own line; the others are additional fields. */
const KNOWN = [
  ...['schemaVersion', 'id', 'projectId', 'action', 'hostname', 'receivedAt', 'erasedAt'],
  ...['configHash', 'language', 'surface'],
  ...CATEGORIES,
];

/** One or two pages for people about a proof, tagged for screen readers. What proves is the proof itself. */
export function drawProof(page: ProofPage): PDFKit.PDFDocument {
  const title = `Proof of the consent record ${String(page.facts.record['id'])}`;
  const document = new Pdf({
    ...{ size: 'A4', margins: { top: MARGIN_TOP, bottom: MARGIN, left: MARGIN, right: MARGIN } },
    ...{ bufferPages: true, tagged: true, lang: 'en', displayTitle: true },
    info: { Title: title, CreationDate: page.createdAt },
  });
  const sheet = new Sheet(document);
  drawOverview(sheet, page);
  drawRecord(sheet, page.facts.record);
  drawShown(sheet, page);
  drawLog(sheet, page);
  drawCheck(sheet, page);
  sheet.end();
  return document;
}

function drawOverview(sheet: Sheet, { facts, createdAt, newest }: ProofPage): void {
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
}

/** Of an earlier checkpoint than the newest one it is not known when it was signed. */
function signedInWords({ size }: EntryFacts, newest: ProofPage['newest']): string {
  const at = newest.signedAt?.toISOString() ?? 'an unknown time';
  return size === newest.size ? at : `before ${at}, when the newest checkpoint was signed`;
}

function drawRecord(sheet: Sheet, record: Record<string, unknown>): void {
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

function drawShown(sheet: Sheet, { facts: { record }, shown }: ProofPage): void {
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

function drawLog(sheet: Sheet, { facts }: ProofPage): void {
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

function drawCheck(sheet: Sheet, { facts: { record }, serviceUrl }: ProofPage): void {
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

/** Writes from top to bottom, each piece with its tag, and the pages' numbers at the end. */
class Sheet {
  private replaced = false;

  constructor(private readonly document: PDFKit.PDFDocument) {}

  heading(tag: 'H1' | 'H2', text: string): void {
    this.piece(tag, () => {
      if (tag === 'H2') this.document.moveDown(0.8);
      this.document
        .font('Helvetica-Bold')
        .fontSize(tag === 'H1' ? TITLE_SIZE : HEADING_SIZE)
        .fillColor(PDF_COLORS.text)
        .text(this.known(text), MARGIN)
        .moveDown(0.3);
    });
  }

  paragraph(text: string, font = 'Helvetica'): void {
    this.piece('P', () => {
      this.document
        .font(font)
        .fontSize(FONT_SIZE)
        .fillColor(PDF_COLORS.text)
        .text(this.known(text), MARGIN)
        .moveDown(0.3);
    });
  }

  /** A label and its value side by side, in this order for screen readers. */
  fact(label: string, value: string): void {
    const { document } = this;
    const width = document.page.width - 2 * MARGIN - LABEL_WIDTH;
    this.piece('P', () => {
      document.fontSize(FONT_SIZE).font('Helvetica');
      const text = this.known(value);
      if (document.y + document.heightOfString(text, { width }) > document.page.height - MARGIN)
        document.addPage();
      const { y } = document;
      document.fillColor(PDF_COLORS.quiet).text(label, MARGIN, y, { width: LABEL_WIDTH });
      document
        .fillColor(PDF_COLORS.text)
        .text(text, MARGIN + LABEL_WIDTH, y, { width })
        .moveDown(0.15);
      document.x = MARGIN;
    });
  }

  end(): void {
    if (this.replaced)
      this.paragraph(
        'A ? replaces characters that the font of this page lacks; the stored and published texts contain them.',
      );
    const { start, count } = this.document.bufferedPageRange();
    for (let page = start; page < start + count; page++) {
      this.document.switchToPage(page);
      this.document.page.margins.bottom = 0;
      this.document.markContent('Artifact', { type: 'Pagination' });
      drawWordmark(this.document, { x: MARGIN, y: MARK_Y, size: MARK_SIZE });
      this.document
        .font('Helvetica')
        .fontSize(FONT_SIZE)
        .fillColor(PDF_COLORS.quiet)
        .text(`Page ${page + 1} of ${count}`, MARGIN, this.document.page.height - MARGIN / 2 - FONT_SIZE, {
          ...{ align: 'right', lineBreak: false, width: this.document.page.width - 2 * MARGIN },
        });
      this.document.endMarkedContent();
    }
    this.document.end();
  }

  private piece(tag: string, draw: () => void): void {
    this.document.addStructure(this.document.struct(tag, {}, draw));
  }

  private known(text: string): string {
    const shown = pdfText(text);
    if (shown !== text) this.replaced = true;
    return shown;
  }
}
