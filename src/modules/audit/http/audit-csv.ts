import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ScannedPage } from '../../../platform/database/bounded-scan.js';
import { formatCsv } from '../../../platform/export/csv.js';
import type { AuditEvent } from '../domain/audit-event.js';
import { AuditEventResponse } from './audit.dto.js';

const COLUMNS = 'id at action actorKind actorId actorName network target before after'.split(' ');
/** Events of one query. Each state of a change may have 16 Ki characters of JSON. */
const PAGE_ROWS = 25;
/** Size of a piece, which its last row may exceed. */
const PIECE_CHARACTERS = 64 * 1024;

/** The source of a file's events. */
export interface AuditSource {
  /** At most `limit` events after `cursor`, or the newest. */
  read(limit: number, cursor: string | null): Promise<ScannedPage<AuditEvent>>;
  /** The names of the users and keys in events. */
  namesOf(events: AuditEvent[]): Promise<Map<string, string>>;
}

/**
 * A CSV file (RFC 4180), in small pages and pieces, between which other requests are served: 1,000
 * events in one piece took up to 31 MB, and blocked the main thread.
 */
export async function* auditPieces(source: AuditSource): AsyncGenerator<string> {
  let cursor: string | null = null;
  let piece = formatCsv([COLUMNS]);
  do {
    const page: ScannedPage<AuditEvent> = await source.read(PAGE_ROWS, cursor);
    const names = await source.namesOf(page.items);
    for (const event of page.items) {
      piece += formatCsv([toCells(AuditEventResponse.of(event, names))]);
      if (piece.length < PIECE_CHARACTERS) continue;
      yield piece;
      await nextTurn();
      piece = '';
    }
    cursor = page.nextCursor;
  } while (cursor !== null);
  yield piece;
}

function toCells({ id, at, action, actor, target, before, after }: AuditEventResponse): string[] {
  const { kind, id: actorId, name, network } = actor;
  const cells = [id, at.toISOString(), action, kind, actorId, name, network, target];
  const states = [before, after].map((state) => (state === null ? '' : JSON.stringify(state)));
  return [...cells.map((cell) => cell ?? ''), ...states];
}
