import { type MessageLanguage, translator } from '../../../platform/messages/messages.js';
import { SERVICE_ID } from '../../../platform/identity/service-id.js';
import type { PdfTextStyle } from '../../../platform/pdf/pdf-column.js';
import { PDF_COLORS } from '../../../platform/pdf/pdf-sheet.js';
import { type BannerText, CATEGORIES } from '../../publishing/domain/banner-text.js';
import type { ProofPage } from '../application/proof-pages.js';

export const PROOF_WIDTH = 595.28;
export const PROOF_HEIGHT = 841.89;
export const PROOF_MARGIN = 42;
export const PROOF_CONTENT = PROOF_WIDTH - 2 * PROOF_MARGIN;
export const PROOF_LABEL = 84;
export const PROOF_FOOT: PdfTextStyle = { size: 7, lineHeight: 10, color: PDF_COLORS.quiet };
/** The lowest point of content, above the foot of the page. */
export const PROOF_BOTTOM = PROOF_HEIGHT - 44;

/** Members of our own banner and of the service; the others are the website's. */
const PROOF_FIELDS = new Set<string>([
  'schemaVersion',
  'id',
  'projectId',
  'receivedAt',
  'erasedAt',
  'action',
  'hostname',
  'language',
  'surface',
  'configHash',
  'policyVersion',
  'bannerVersion',
  'region',
  'modes',
  'regionPreset',
  'theme',
  'device',
  ...CATEGORIES,
]);

/** Names of the members that the website has sent itself. */
export const otherFieldsOf = (record: Record<string, unknown>): string[] =>
  Object.keys(record).filter(
    (name) => !PROOF_FIELDS.has(name) && !(name === 'services' && serviceChoices(record).length > 0),
  );

/** The services that the visitor accepted or refused one by one, by their ids. */
export function serviceChoices({ services }: Record<string, unknown>): [id: string, isAccepted: boolean][] {
  if (typeof services !== 'object' || services === null || Array.isArray(services)) return [];
  const entries = Object.entries(services as Record<string, unknown>);
  // Any other value is a field of the website (ADR 37).
  return entries.every(([id, flag]) => SERVICE_ID.test(id) && typeof flag === 'boolean')
    ? (entries as [string, boolean][])
    : [];
}

type ProofWords = ReturnType<typeof proofWords>;
export const proofWords = (language: MessageLanguage) => translator(language, 'proof', 'scan-report');

/** Shared by all parts of the page. */
export interface ProofDrawing {
  document: PDFKit.PDFDocument;
  page: ProofPage;
  record: Record<string, unknown>;
  isErasure: boolean;
  /** The banner's texts in the visitor's language; null: not known. */
  text: BannerText | null;
  t: ProofWords;
}
