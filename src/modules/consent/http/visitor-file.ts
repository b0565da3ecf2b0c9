import type { ConsentItem } from '../application/consent.reader.js';
import type { ExportRow } from '../domain/export-selection.js';

/** The part of a visitor's file before their records. */
export interface VisitorFileHead {
  projectId: string;
  projectName: string;
  madeAt: Date;
}

/** One JSON document, piece by piece, with the records as the API shows them. */
export async function* jsonPieces(
  head: VisitorFileHead,
  batches: AsyncIterable<ConsentItem[]>,
): AsyncGenerator<string> {
  yield `${JSON.stringify(head).slice(0, -1)},"records":[`;
  let separator = '';
  for await (const items of batches) {
    yield separator + items.map((item) => JSON.stringify(item)).join(',');
    separator = ',';
  }
  yield ']}\n';
}

/** The same records as the rows of an export. */
export async function* visitorRows(batches: AsyncIterable<ConsentItem[]>): AsyncGenerator<ExportRow[]> {
  for await (const items of batches) yield items.map(toExportRow);
}

function toExportRow(item: ConsentItem): ExportRow {
  const { id, receivedAt, analytics, marketing, preferences, action, hostname } = item;
  const flags = [analytics, marketing, preferences].map(String);
  const shown = [hostname, item.configHash, item.language, item.surface].map((text) => text ?? '');
  return [id, receivedAt.toISOString(), ...flags, action, ...shown, JSON.stringify(item.additionalFields)];
}
