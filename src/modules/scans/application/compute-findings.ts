import type { EntityManager } from '@mikro-orm/postgresql';
import type { SiteConfiguration } from '../../publishing/domain/configuration.js';
import { readConfigurations } from '../../publishing/site-configurations.js';
import { type ClassificationSources, classifyItem } from '../domain/classify-item.js';
import { countScan, type Finding, type TestedState } from '../domain/finding.js';
import { findFindings, isTestedBy } from '../domain/findings.js';
import { isStored, itemId } from '../domain/item-key.js';
import { SCAN_STATES, type ScanState } from '../domain/scan-state.js';
import type { ClassifiedItem } from '../domain/seen-item.js';
import {
  type EndedScan,
  type LoadedPage,
  lockEndedScan,
  readLoadedPages,
  readPageAddresses,
  readSeenItems,
  readTestedStates,
  type ScanRef,
} from '../infrastructure/evidence.rows.js';
import { readFindingLives, storeMissedFindings, storeSeenFindings } from '../infrastructure/finding.rows.js';
import { knownServices } from '../infrastructure/load-known-services.js';
import { type ItemCounts, storeItemCounts } from '../infrastructure/scan-result.rows.js';
import { readDecisions, storeSiteItems } from '../infrastructure/site-item.rows.js';

/** Input of the current classification of a project's items, including its published configuration. */
export async function classificationSources(
  em: EntityManager,
  projectId: string,
): Promise<ClassificationSources & { published: SiteConfiguration }> {
  const { published, draft } = await readConfigurations(em, projectId);
  return {
    published,
    decisions: await readDecisions(em, projectId),
    services: [...published.services, ...(draft?.services ?? [])],
    known: knownServices(),
  };
}

/** A scan with a result, and its items. */
export interface EvaluatedScan {
  ended: EndedScan;
  items: ClassifiedItem[];
  /** Findings that this scan saw first. */
  openedIds: string[];
  /** Whether it found pages without the loader. */
  lacksLoader: boolean;
}

/**
 * Evaluates a scan: its items are merged into the project's items, and its findings replace those of an
 * earlier evaluation of the same scan. Idempotent. null: the scan was deleted, or has no result.
 */
export async function computeFindings(tx: EntityManager, scan: ScanRef): Promise<EvaluatedScan | null> {
  const ended = await lockEndedScan(tx, scan);
  if (!ended) return null;
  const sources = await classificationSources(tx, scan.projectId);
  const pages = await readLoadedPages(tx, scan);
  const states = await readTestedStates(tx, scan, pages);
  const items = (await readSeenItems(tx, scan)).map((item) => ({
    ...item,
    classification: classifyItem(item, sources),
  }));
  const urls = new Map(pages.map(({ number, url }) => [number, url]));
  await storeSiteItems(tx, scan, { items, urls, seenAt: ended.endedAt });

  const addresses = await readPageAddresses(tx, scan);
  const { published } = sources;
  const findings = findFindings({ items, states, pages, addresses, published }).map((finding) => ({
    ...finding,
    pageUrls: finding.pages.flatMap((page) => urls.get(page) ?? []),
    uses: finding.uses.flatMap(({ page, ...use }) => {
      const url = urls.get(page);
      return url === undefined ? [] : [{ ...use, url }];
    }),
  }));
  const ids = findings.map(({ id }) => id);
  const known = await readFindingLives(tx, scan.projectId, ids, scan.scanId);
  const lives = new Map(known.map((life) => [life.id, life]));
  const seen = findings.flatMap((finding) => {
    const life = countScan(lives.get(finding.id) ?? null, 'seen', scan.scanId);
    return life === null ? [] : [{ ...life, ...finding }];
  });
  await storeSeenFindings(tx, scan, seen, ended.endedAt);

  const found = new Set(ids);
  const visited = visitedUrls(states, pages);
  const missed = known
    .filter(({ id }) => !found.has(id))
    .flatMap((finding) => {
      const observation = isTestedBy(finding, visited) ? 'missed' : 'untested';
      const life = countScan(finding, observation, scan.scanId);
      return life === null ? [] : [{ ...life, id: finding.id }];
    });
  await storeMissedFindings(tx, scan.projectId, missed);
  // Without a page nothing was seen, which must not look like nothing found.
  if (pages.length > 0) await storeItemCounts(tx, scan, countItems(items, findings));
  const openedIds = seen.filter(({ firstScanId }) => firstScanId === scan.scanId).map(({ id }) => id);
  const lacksLoader = findings.some(({ kind }) => kind === 'loader_missing');
  return { ended, items, openedIds, lacksLoader };
}

/** Cookies and entries in each state, and those without any finding. */
function countItems(
  items: readonly ClassifiedItem[],
  findings: readonly Pick<Finding, 'itemKind' | 'name' | 'host'>[],
): ItemCounts {
  const stored = items.filter(isStored);
  const withFinding = new Set(
    findings.flatMap(({ itemKind, name, host }) =>
      itemKind === null ? [] : [itemId({ kind: itemKind, name, host })],
    ),
  );
  return {
    declared: stored.filter(({ id }) => !withFinding.has(id)).length,
    states: SCAN_STATES.map((state) => ({
      state,
      items: stored.filter(({ sightings }) => sightings.some((each) => each.state === state)).length,
    })),
  };
}

function visitedUrls(
  states: readonly TestedState[],
  pages: readonly LoadedPage[],
): Map<ScanState, Set<string>> {
  const urls = new Map(pages.map(({ number, url }) => [number, url]));
  return new Map(
    states
      .filter(({ status }) => status === 'tested')
      .map(({ state, pages: numbers }) => [
        state,
        new Set(numbers.flatMap((number) => urls.get(number) ?? [])),
      ]),
  );
}
