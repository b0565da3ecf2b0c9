import type { EntityManager } from '@mikro-orm/postgresql';
import { choosePage } from '../site/page-choice.js';
import type { PageReason } from '../../modules/scans/domain/scan.js';
import { judgeScanAddress, type ScanScope } from '../../modules/scans/domain/scan-address.js';
import { mayVisitHost } from '../../modules/scans/domain/scan-limits.js';
import {
  addPages,
  type ClaimedScan,
  type FrontierPage,
  readFrontier,
  readHost,
  readPagesMax,
  skipPages,
} from '../../modules/scans/infrastructure/frontier.rows.js';
import { admitToHost } from '../../modules/scans/infrastructure/host.rows.js';
import type { SiteRules } from './site-rules.js';

/** `again`: pages were added or skipped; `none`: nothing is left, and why the rest is left out. */
type NextPage =
  { kind: 'page'; page: FrontierPage } | { kind: 'again' } | { kind: 'none'; unvisited: PageReason };

interface PageQueueOptions {
  rules: SiteRules;
  scope: ScanScope;
  /** Of one host in 24 hours, over all projects. */
  hostScansPerDay: number;
}

interface KnownPage extends FrontierPage {
  visited: boolean;
}

/** Chooses the pages of a scan in their order, by the rules of the service and of the site. */
export class PageQueue {
  private readonly startOrigins: Set<string>;
  /** Whether hosts have a scan left. */
  private readonly admitted = new Map<string, boolean>();

  constructor(
    private readonly em: EntityManager,
    private readonly scan: ClaimedScan,
    private readonly options: PageQueueOptions,
  ) {
    this.startOrigins = new Set(scan.urls.map((url) => new URL(url).origin));
  }

  /** One step, so that the caller can check its limits in between. */
  async next(): Promise<NextPage> {
    const { scan } = this;
    const em = this.em.fork();
    const pages = (await readFrontier(em, scan)).filter(({ status }) => status !== 'skipped');
    const known = pages.map((page) => ({ ...page, visited: page.status !== 'found' }));
    // A start address that redirects, such as to www, starts where it leads.
    for (const { depth, finalUrl } of known)
      if (depth === 0 && finalUrl !== null) this.startOrigins.add(new URL(finalUrl).origin);
    // The tier may have changed since the scan was claimed.
    const pagesMax = await readPagesMax(em, scan);
    if (known.filter(({ visited }) => visited).length >= pagesMax)
      return { kind: 'none', unvisited: 'page_limit' };
    const page = choosePage(known);
    if (page === null)
      return (await this.addFromLeftSitemaps(known))
        ? { kind: 'again' }
        : { kind: 'none', unvisited: 'same_template' };
    if (known.some(({ visited, finalUrl }) => visited && finalUrl === page.url))
      return this.skip([page], 'duplicate');
    if (judgeScanAddress(page.url, this.options.scope) === 'excluded')
      return this.skip([page], 'excluded_host');
    const host = await this.readHost(new URL(page.url).host);
    if (!mayVisitHost(host)) return this.skip([page], 'unverified_host');
    if (!(await this.isAdmitted(page))) return this.skip([page], 'host_limit');
    const ignoresRobots = scan.ignoreRobots && host.verified;
    if (!ignoresRobots && (await this.skipDenied(page, known))) return { kind: 'again' };
    if (host.verified && (await this.addFromSitemaps(page))) return { kind: 'again' };
    return { kind: 'page', page };
  }

  /** A host is verified by its loader, or as a custom domain of the project. */
  private async readHost(host: string): Promise<{ verified: boolean; pagesToday: number }> {
    const read = await readHost(this.em.fork(), this.scan.projectId, host);
    return { ...read, verified: read.verified || this.scan.verifiedHosts.includes(host) };
  }

  /** Checked once per host, before its first request. */
  private async isAdmitted({ url }: FrontierPage): Promise<boolean> {
    const { host } = new URL(url);
    const known = this.admitted.get(host);
    if (known !== undefined) return known;
    const admission = { host, scanId: this.scan.id, scansMax: this.options.hostScansPerDay };
    const admitted = await admitToHost(this.em.fork(), admission);
    this.admitted.set(host, admitted);
    return admitted;
  }

  private async skip(pages: readonly FrontierPage[], reason: PageReason): Promise<NextPage> {
    const numbers = pages.map(({ number }) => number);
    await skipPages(this.em.fork(), this.scan, numbers, reason);
    return { kind: 'again' };
  }

  /** Skips all known pages that the robots.txt for a page denies. Returns whether there were any. */
  private async skipDenied(page: FrontierPage, known: readonly KnownPage[]): Promise<boolean> {
    const { origin } = new URL(page.url);
    const robots = await this.options.rules.robotsOf(page.url);
    const open = known.filter(({ visited, url }) => !visited && new URL(url).origin === origin);
    let skipped = false;
    for (const reason of ['robots_denied', 'robots_unavailable'] as const) {
      const denied = open.filter(({ url }) => robots.refusalOf(url) === reason);
      if (denied.length === 0) continue;
      await this.skip(denied, reason);
      skipped = true;
    }
    return skipped;
  }

  /** Sitemaps of start hosts that only their last page verified. */
  private async addFromLeftSitemaps(known: readonly KnownPage[]): Promise<boolean> {
    let added = false;
    for (const origin of this.startOrigins) {
      const visited = known.filter(({ status }) => status === 'visited');
      const page = visited
        .map(({ url, finalUrl, ...each }) => ({ ...each, finalUrl, url: finalUrl ?? url }))
        .find(({ url }) => new URL(url).origin === origin);
      if (!page) continue;
      const { verified } = await this.readHost(new URL(origin).host);
      if (verified && (await this.addFromSitemaps(page))) added = true;
    }
    return added;
  }

  /** Adds the pages of a start host's sitemaps, once. Returns whether there were any. */
  private async addFromSitemaps({ url }: FrontierPage): Promise<boolean> {
    if (!this.startOrigins.has(new URL(url).origin)) return false;
    const urls = await this.options.rules.newPages(url);
    await addPages(
      this.em.fork(),
      this.scan,
      urls.map((each) => ({ url: each, depth: 1 })),
    );
    return urls.length > 0;
  }
}
