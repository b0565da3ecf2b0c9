import { artifact, PdfColumn, type PdfTextStyle } from '../../../platform/pdf/pdf-column.js';
import { drawWordmark, PDF_COLORS } from '../../../platform/pdf/pdf-sheet.js';
import { dateAndTime, languageName } from '../../../platform/pdf/pdf-words.js';
import {
  PROOF_WIDTH,
  PROOF_HEIGHT,
  PROOF_MARGIN,
  PROOF_CONTENT,
  PROOF_LABEL,
  PROOF_FOOT,
  PROOF_BOTTOM,
  otherFieldsOf,
  type ProofDrawing,
  serviceChoices,
} from './proof-drawing.js';

const SMALL: PdfTextStyle = { size: 6.4, lineHeight: 9 };

type AppendixLabel =
  | 'id'
  | 'log'
  | 'entry'
  | 'configHash'
  | 'root'
  | 'commitment'
  | 'leaf'
  | 'salt'
  | 'stored'
  | 'keys'
  | 'rootLog';

/** At the end of the page in two columns, or on the next page if this one is full. */
export function drawProofAppendix(from: number, { document, page, record, t }: ProofDrawing): void {
  const { facts } = page;
  const { tree, rootLog } = facts;
  const text = (value: unknown): string => (typeof value === 'string' ? value : '–');
  const number = (value: number): string => value.toLocaleString(page.language);
  const place = ({ index, size }: { index: number; size: number }) => ({
    index: number(index),
    size: number(size),
  });
  const rows: [AppendixLabel, string][] = [
    ['id', text(record['id'])],
    ['entry', t('proofPage.place', place(tree))],
    ['configHash', text(record['configHash'])],
    ['root', tree.root],
    ['commitment', facts.commitment],
    ['leaf', facts.leaf],
    ['salt', facts.salt],
    ['keys', tree.keys.join(', ')],
    ['stored', text(record['receivedAt'] ?? record['erasedAt'])],
    ['log', tree.origin],
    [
      'rootLog',
      rootLog
        ? t('proofPage.rootPlace', { origin: rootLog.origin, ...place(rootLog) })
        : t('proofPage.noRootLog'),
    ],
  ];
  const sides = [0, 1].map((side) => rows.filter((_, index) => index % 2 === side));
  const heights = sides.map((side) => side.reduce((sum, [, value]) => sum + appendixHeight(value), 0));
  let y = PROOF_BOTTOM - 24 - Math.max(...heights);
  if (from > y) {
    document.addPage();
    y = 60;
  }
  artifact(document, () => {
    document
      .moveTo(PROOF_MARGIN, y)
      .lineTo(PROOF_WIDTH - PROOF_MARGIN, y)
      .lineWidth(0.75)
      .stroke(PDF_COLORS.line);
  });
  const title = new PdfColumn(document, { x: PROOF_MARGIN, y: y + 7, width: PROOF_CONTENT });
  title.text(
    t('proofPage.appendix'),
    { size: 7.9, lineHeight: 11, font: 'Helvetica-Bold', color: PDF_COLORS.quiet },
    'H2',
  );
  const width = (PROOF_CONTENT - 14) / 2;
  const columns = [0, 1].map(
    (side) => new PdfColumn(document, { x: PROOF_MARGIN + side * (width + 14), y: title.y + 4, width }),
  );
  for (const [side, column] of columns.entries())
    for (const [name, value] of sides[side] ?? [])
      column.fact(t(`proofPage.ids.${name}`), value, {
        labelWidth: 52,
        style: { ...SMALL, font: 'Courier' },
      });
}

/** Every character of Courier is as wide as the others. */
function appendixHeight(value: string): number {
  const characters = Math.floor(((PROOF_CONTENT - 14) / 2 - 52) / (SMALL.size * 0.6));
  return Math.ceil(value.length / characters) * SMALL.lineHeight + SMALL.lineHeight * 0.3;
}

/** The whole texts, which the picture shortens, and the website's own fields. */
export function drawProofTexts({ document, page, record, text, t }: ProofDrawing): void {
  const { shown } = page;
  const others = otherFieldsOf(record).map((name) => [name, record[name]] as const);
  const services = serviceChoices(record);
  if (!(shown && text) && others.length === 0 && services.length === 0) return;
  document.addPage();
  const column = new PdfColumn(document, { x: PROOF_MARGIN, y: 74, width: PROOF_CONTENT });
  const fact = (label: string, value: string): void => {
    column.fact(label, value, { labelWidth: PROOF_LABEL + 20 });
    if (column.y > PROOF_BOTTOM - 60) {
      document.addPage();
      column.y = 74;
    }
  };
  if (shown && text) {
    column.heading(t('proofPage.texts'));
    const recorded = record['language'];
    const language = languageName(text.language, page.language);
    fact(
      t('proofPage.language'),
      text.language === recorded ? language : t('proofPage.defaultLanguage', { language }),
    );
    fact(t('proofPage.bannerTitle'), text.title);
    fact(t('proofPage.bannerText'), text.description);
    fact(t('proofPage.buttons'), [text.acceptAll, text.rejectAll, text.choose, text.save].join(' · '));
    for (const { key, title, description } of text.categories)
      if (shown.categories.includes(key)) fact(t(`proofPage.categories.${key}`), `${title}: ${description}`);
    if (shown.policyUrl !== null) fact(t('proofPage.policy'), shown.policyUrl);
    column.y += 8;
  }
  if (services.length > 0) {
    column.heading(t('proofPage.services'));
    for (const [id, isAccepted] of services) {
      // As the visitor was shown it.
      const name = shown?.services.find((service) => service.id === id)?.name ?? id;
      fact(name, t(isAccepted ? 'proofPage.choices.allowed' : 'proofPage.choices.refused'));
    }
    column.y += 8;
  }
  if (others.length > 0) {
    column.heading(t('proofPage.otherFields'));
    for (const [name, value] of others) fact(name, typeof value === 'string' ? value : JSON.stringify(value));
  }
}

/** Head and foot of every page. */
export function drawProofFrames({ document, page, record, t }: ProofDrawing): void {
  const { start, count } = document.bufferedPageRange();
  const at = dateAndTime(page.createdAt, page).text;
  const created =
    page.createdBy === null
      ? t('proofPage.created', { at })
      : t('proofPage.createdBy', { at, name: page.createdBy });
  for (let number = start; number < start + count; number++) {
    document.switchToPage(number);
    artifact(document, () => {
      drawWordmark(document, { x: PROOF_MARGIN, y: 33, size: 13.5 });
      document.font('Helvetica').fontSize(8.2).fillColor(PDF_COLORS.quiet);
      document.text(t('proofPage.record', { id: String(record['id']).slice(0, 8) }), PROOF_MARGIN, 36, {
        width: PROOF_CONTENT,
        align: 'right',
      });
      document
        .moveTo(PROOF_MARGIN, 56)
        .lineTo(PROOF_WIDTH - PROOF_MARGIN, 56)
        .lineWidth(0.75)
        .stroke(PDF_COLORS.line);
      document.fontSize(PROOF_FOOT.size).fillColor(PDF_COLORS.quiet);
      document.text(`${created}    ${t('proofPage.forPeople')}`, PROOF_MARGIN, PROOF_HEIGHT - 33, {
        width: PROOF_CONTENT - 70,
        lineBreak: false,
        ellipsis: true,
      });
      document.text(t('report.page', { page: number + 1, count }), PROOF_MARGIN, PROOF_HEIGHT - 33, {
        width: PROOF_CONTENT,
        align: 'right',
        lineBreak: false,
      });
    });
  }
}
