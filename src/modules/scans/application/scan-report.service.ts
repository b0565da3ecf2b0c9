import { gunzipSync } from 'node:zlib';
import { Injectable } from '@nestjs/common';
import { EntityManager } from '@mikro-orm/postgresql';
import { BRAND } from '../../../platform/identity/brand.js';
import { formatCsv } from '../../../platform/export/csv.js';
import { DomainError } from '../../../platform/errors/domain-error.js';
import { VERSION } from '../../../platform/process/version.js';
import { type Classification, classifyItem } from '../domain/classify-item.js';
import { inspectionOf, knowledgeBasesOf, type KnownItem } from '../domain/inspection.js';
import { itemId, itemKey } from '../domain/item-key.js';
import type { ScanItemView, ScanView } from '../domain/scan-view.js';
import type { ScanState } from '../domain/scan-state.js';
import type { ClassifiedItem } from '../domain/seen-item.js';
import { readHars, readSeenItems } from '../infrastructure/evidence.rows.js';
import { readScanFindings } from '../infrastructure/finding.rows.js';
import { findScanWithResult, itemBatches, readPages } from '../infrastructure/scan.rows.js';
import { readStatedStates } from '../infrastructure/statement.rows.js';
import { FINDING_STATUSES, FINDINGS_PER_SCAN_MAX } from '../domain/finding.js';
import { classificationSources } from './compute-findings.js';

/** Items that an inspection contains; a larger one opens in no reader. */
const INSPECTION_ITEMS_MAX = 50_000;

/** Entries of the knowledge bases; the tool imports them one by one. */
const KNOWN_ITEMS_MAX = 10_000;

const CSV_COLUMNS = [
  'state',
  'page',
  'kind',
  'name',
  'host',
  'thirdParty',
  'category',
  'categorySource',
  'certainty',
  'service',
  'provider',
  'setBy',
  'sent',
  'initiator',
  'expiresAt',
  'httpOnly',
  'secure',
  'sameSite',
  'valueLength',
  'valueHash',
  'method',
  'type',
  'httpStatus',
  'bodyBytes',
  'count',
];

/** A HAR file, as far as several are joined into one. */
interface Har {
  log: { pages?: { id: string }[]; entries: { pageref?: string }[] } & Record<string, unknown>;
}

/** Writes what a scan saw in the formats of other tools. */
@Injectable()
export class ScanReportService {
  constructor(private readonly em: EntityManager) {}

  /** The scan of a report. @throws DomainError `scan_not_found`, `scan_without_result`. */
  find(projectId: string, scanId: string): Promise<ScanView> {
    return findScanWithResult(this.em.fork(), projectId, scanId);
  }

  /** One row for each item; cells are protected against formulas. */
  async *csv(projectId: string, scan: ScanView): AsyncGenerator<string> {
    const em = this.em.fork();
    const ref = { projectId, scanId: scan.id };
    const urls = new Map((await readPages(em, projectId, scan.id)).map(({ number, url }) => [number, url]));
    const known = new Map((await this.classified(projectId, scan.id)).map((item) => [item.id, item]));
    yield formatCsv([CSV_COLUMNS]);
    for await (const items of itemBatches(em, ref))
      yield formatCsv(
        items.map((item) =>
          csvRow(item, urls.get(item.page) ?? '', known.get(seenId(item))?.classification ?? null),
        ),
      );
  }

  /** The scan with its states, pages, findings and items, which the hash in its proof is of. */
  async *json(projectId: string, scan: ScanView): AsyncGenerator<string> {
    const em = this.em.fork();
    const ref = { projectId, scanId: scan.id };
    const findings = await readScanFindings(em, ref, {
      statuses: FINDING_STATUSES,
      after: null,
      limit: FINDINGS_PER_SCAN_MAX,
    });
    const head = {
      schemaVersion: 1,
      projectId,
      ...scan,
      states: await readStatedStates(em, ref),
      pageList: await readPages(em, projectId, scan.id),
      findings,
    };
    yield `${JSON.stringify(head).slice(0, -1)},"items":[`;
    let isFirst = true;
    for await (const items of itemBatches(em, ref)) {
      yield (isFirst ? '' : ',') + items.map((item) => JSON.stringify(item)).join(',');
      isFirst = false;
    }
    yield ']}';
  }

  /** `inspection.json` of the Website Evidence Collector, for one state. */
  async inspection(projectId: string, scan: ScanView, state: ScanState): Promise<string> {
    const em = this.em.fork();
    const items: ScanItemView[] = [];
    for await (const batch of itemBatches(em, { projectId, scanId: scan.id })) {
      items.push(...batch.filter((item) => item.state === state));
      if (items.length >= INSPECTION_ITEMS_MAX) break;
    }
    const pages = await readPages(em, projectId, scan.id);
    return JSON.stringify(inspectionOf({ scan, pages, items, version: VERSION }), null, 2);
  }

  /** Knowledge bases of the EDPB website auditing tool. */
  async knowledgeBases(projectId: string, scan: ScanView): Promise<string> {
    const items = await this.knownItems(projectId, scan.id);
    const at = scan.endedAt ?? scan.createdAt;
    const host = scan.urls[0] === undefined ? '' : new URL(scan.urls[0]).host;
    const title = `${host} ${at.toISOString().slice(0, 10)}`;
    return JSON.stringify(knowledgeBasesOf(items, { title, author: BRAND, at }), null, 2);
  }

  /** Each stored cookie and entry once, with the exact name and domain in the browser. */
  private async knownItems(projectId: string, scanId: string): Promise<KnownItem[]> {
    const classified = new Map((await this.classified(projectId, scanId)).map((item) => [item.id, item]));
    const items = new Map<string, KnownItem>();
    for await (const batch of itemBatches(this.em.fork(), { projectId, scanId }))
      for (const item of batch) {
        const { kind, name, details } = item;
        const known = classified.get(seenId(item));
        if ((kind !== 'cookie' && kind !== 'local_storage') || !known || details.blocked !== undefined)
          continue;
        // The tool removes the leading dot of a cookie's domain before it compares.
        const host = item.host.replace(/^\./, '');
        const key = JSON.stringify([kind, name, host]);
        const initiator = items.get(key)?.initiator ?? details.initiator ?? null;
        items.set(key, { kind, name, host, initiator, classification: known.classification });
        if (items.size >= KNOWN_ITEMS_MAX) return [...items.values()];
      }
    return [...items.values()];
  }

  /** The HARs of a state's pages as one. @throws DomainError `har_not_found`: none is stored, or they were deleted. */
  async har(projectId: string, scan: ScanView, state: ScanState): Promise<string> {
    const stored = await readHars(this.em.fork(), { projectId, scanId: scan.id }, state);
    const [first, ...others] = stored.map(({ page, content }) =>
      withPage(JSON.parse(gunzipSync(content).toString()) as Har, page),
    );
    if (!first)
      throw new DomainError(
        'har_not_found',
        'No HAR of this state is stored. HARs are deleted before results.',
      );
    for (const { log } of others) {
      first.log.pages = [...(first.log.pages ?? []), ...(log.pages ?? [])];
      first.log.entries.push(...log.entries);
    }
    return JSON.stringify(first);
  }

  private async classified(projectId: string, scanId: string): Promise<ClassifiedItem[]> {
    const em = this.em.fork();
    const sources = await classificationSources(em, projectId);
    return (await readSeenItems(em, { projectId, scanId })).map((item) => ({
      ...item,
      classification: classifyItem(item, sources),
    }));
  }
}

/** Pages of several HARs may have the same ids. */
function withPage(har: Har, page: number): Har {
  for (const each of har.log.pages ?? []) each.id = `${page}-${each.id}`;
  for (const entry of har.log.entries)
    if (entry.pageref !== undefined) entry.pageref = `${page}-${entry.pageref}`;
  return har;
}

/** By which items of a scan are joined. */
function seenId({ kind, name, host, details }: ScanItemView): string {
  const seen = kind === 'fingerprint' ? (details.type ?? name) : name;
  return itemId(itemKey({ kind, name: seen, host }));
}

function csvRow({ details, ...item }: ScanItemView, url: string, known: Classification | null): string[] {
  return [
    item.state,
    url,
    item.kind,
    item.name,
    item.host,
    item.thirdParty,
    known?.category,
    known?.source,
    known?.certainty,
    known?.service,
    known?.provider,
    details.setBy,
    details.sent,
    details.initiator,
    details.expiresAt,
    details.httpOnly,
    details.secure,
    details.sameSite,
    details.valueLength,
    details.valueHash,
    details.method,
    details.type,
    details.httpStatus,
    details.bodyBytes,
    details.count,
  ].map((value) => String(value ?? ''));
}
