import type { EntityManager } from '@mikro-orm/postgresql';
import { OutboxService } from '../../../src/platform/outbox/outbox.service.js';
import type { ItemDetails } from '../../../src/modules/scans/domain/observation.js';
import type { ItemKind } from '../../../src/modules/scans/domain/scan.js';
import { SCAN_STATES, type ScanState } from '../../../src/modules/scans/domain/scan-state.js';
import { SCAN_FINISHED, scanKey } from '../../../src/modules/scans/scans.events.js';
import { newId } from '../../../src/platform/identity/ids.js';

/** An item of a test's scan, on its pages in its states. */
export interface TestItem {
  kind?: ItemKind;
  name: string;
  host?: string;
  thirdParty?: boolean;
  states?: ScanState[];
  pages?: number[];
  details?: ItemDetails;
}

export interface TestScan {
  items: TestItem[];
  /** Paths of its pages; the first has the number 1. */
  paths?: string[];
  /** Numbers of the pages without the loader. */
  withoutLoader?: number[];
  /** Host and path of each request in the HTML of the first page. */
  htmlAddresses?: string[];
  /** States that were tested; all without it. */
  tested?: ScanState[];
  status?: 'completed' | 'partial' | 'failed';
}

type Query = (sql: string, params: unknown[]) => Promise<unknown>;

/** Writes a scan of shop.example as a scanner leaves it; returns its id. */
export async function insertTestScan(
  query: Query,
  projectId: string,
  {
    items,
    paths = ['/', '/cart'],
    withoutLoader = [],
    htmlAddresses = [],
    tested = [...SCAN_STATES],
    status = 'completed',
  }: TestScan,
): Promise<string> {
  const id = newId();
  await query(
    `insert into scan (project_id, id, status, urls, domains, pages_max, browser, started_at, ended_at)
     values ($1, $2, $3, '{https://shop.example/}', '{shop.example}', 30, 'Chromium 1.0', now() - interval '1 minute', now())`,
    [projectId, id, status],
  );
  for (const [at, path] of paths.entries())
    await query(
      `insert into scan_page (project_id, scan_id, number, url, host, depth, status, visits, loader_found, html_addresses, visited_at)
       values ($1, $2, $3, $4, 'shop.example', $5, 'visited', 1, $6, $7, now())`,
      [
        projectId,
        id,
        at + 1,
        `https://shop.example${path}`,
        at,
        !withoutLoader.includes(at + 1),
        at === 0 ? htmlAddresses : [],
      ],
    );
  for (const state of SCAN_STATES) {
    const isTested = tested.includes(state);
    await query(
      `insert into scan_state (project_id, scan_id, state, status, reason, driver, pages)
       values ($1, $2, $3, $4, $5, $6, $7)`,
      [
        projectId,
        id,
        state,
        isTested ? 'tested' : 'not_tested',
        isTested ? null : 'no_control',
        isTested && state !== 'before' ? 'own' : null,
        isTested ? paths.map((_, at) => at + 1) : [],
      ],
    );
  }
  let number = 0;
  for (const { kind = 'cookie', name, host = 'shop.example', thirdParty = false, ...item } of items)
    for (const state of item.states ?? ['before'])
      for (const page of item.pages ?? [1]) {
        number += 1;
        await query(
          `insert into scan_item (project_id, scan_id, state, page, number, kind, name, host, third_party, details)
           values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
          [
            projectId,
            id,
            state,
            page,
            number,
            kind,
            name,
            host,
            thirdParty,
            JSON.stringify(item.details ?? {}),
          ],
        );
      }
  return id;
}

/** Announces a scan as the scanner does at its end: a worker evaluates it. */
export async function announceTestScan(em: EntityManager, projectId: string, id: string): Promise<void> {
  const outbox = OutboxService.appendOnly(em, { topics: [SCAN_FINISHED] });
  await em
    .fork()
    .transactional((tx) =>
      outbox.append(tx, { orderingKey: scanKey(projectId), projectId, topic: SCAN_FINISHED, subjectId: id }),
    );
}
