import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DomainError, fieldErrors, tooManyRequests } from '../../../platform/errors/domain-error.js';
import { newId } from '../../../platform/identity/ids.js';
import { parseExceptions } from '../../../platform/network/address-policy.js';
import { InjectSettings } from '../../../platform/settings/inject-settings.js';
import { type ServiceSettings, serviceSettings } from '../../../platform/settings/service.settings.js';
import { writeAudit } from '../../audit/audit.log.js';
import type { Author } from '../../audit/domain/author.js';
import { readActiveHosts } from '../../domains/active-hosts.js';
import { deleteEntries } from '../../evidence/log-entries.js';
import { LicensingService } from '../../licensing/licensing.service.js';
import type { Project } from '../../projects/domain/project.js';
import { findDemoProject } from '../../projects/project.rows.js';
import { ProjectService } from '../../projects/project.service.js';
import { judgeScanAddress, normalizePageUrl, type ScanScope } from '../domain/scan-address.js';
import {
  ACCOUNT_MINUTES_PER_DAY,
  ACCOUNT_QUEUED_MAX,
  DAY_MS,
  pagesPerScan,
  SCANS_KEPT_MAX,
  scansPerDay,
  waitForScanMs,
  waitForWorkMs,
} from '../domain/scan-limits.js';
import { type ScanState, type SkippableState, statesToSkip } from '../domain/scan-state.js';
import type { ScanOrigin } from '../domain/scan.js';
import { SCANNER_ALIVE_MS } from '../domain/scanner.js';
import { lockAccountUse } from '../infrastructure/account.rows.js';
import { readHost } from '../infrastructure/frontier.rows.js';
import { readHostScans } from '../infrastructure/host.rows.js';
import {
  deleteOldScans,
  hasActiveScan,
  insertScan,
  isScannerAlive,
  limitPages,
  readRequestTimes,
} from '../infrastructure/scan.rows.js';
import { type ScanSettings, scanSettings } from '../scans.settings.js';

/** Domains whose home pages are scanned by default. */
const DEFAULT_DOMAINS_MAX = 5;
const UNAVAILABLE =
  'No scanner is running. Install Chromium on the server, for example with "apt-get install chromium", and restart the service, or start a scanner with "npm run start:scanner".';

/** The addresses and options of a scan. */
interface ScanOptions {
  urls?: readonly string[] | undefined;
  skipStates?: readonly SkippableState[] | undefined;
  ignoreRobots?: boolean | undefined;
}

/** The scans that a project may request now. */
export interface ScanAllowance {
  scannerAvailable: boolean;
  /** Start addresses of a scan without any. */
  defaultUrls: string[];
  /** The number of their hosts, and of the verified ones. */
  hosts: number;
  verifiedHosts: number;
  pagesMax: number;
  scansPerDay: number;
  scansLeft: number;
}

/** Requests scans of a project within its limits. */
@Injectable()
export class ScanRequests implements OnModuleInit {
  private readonly allowedTargets: ReadonlySet<string>;

  constructor(
    private readonly em: EntityManager,
    private readonly projects: ProjectService,
    private readonly licensing: LicensingService,
    @InjectSettings(scanSettings) private readonly settings: ScanSettings,
    @InjectSettings(serviceSettings) private readonly service: ServiceSettings,
  ) {
    this.allowedTargets = parseExceptions(settings.allowedPrivateTargets).targets;
  }

  /** A scan that has not ended follows the tier. */
  onModuleInit(): void {
    this.licensing.onTierChange((tx, { projectId, tier }) =>
      limitPages(tx, { projectId, pagesMax: pagesPerScan(tier) }),
    );
  }

  /** The scans that the project may request now, for the page that offers them. */
  async allowance(project: Project): Promise<ScanAllowance> {
    const em = this.em.fork();
    const now = new Date();
    const tier = await this.licensing.tierOf(project, now);
    const limit = scansPerDay(tier);
    const recent = await readRequestTimes(em, project.id, new Date(now.getTime() - DAY_MS));
    const defaultUrls = await this.defaultUrls(project);
    const hosts = hostsOf(defaultUrls);
    const unverified = await unverifiedHosts(em, project.id, hosts);
    return {
      scannerAvailable: await isScannerAlive(em, SCANNER_ALIVE_MS),
      defaultUrls,
      hosts: hosts.length,
      verifiedHosts: hosts.length - unverified.length,
      pagesMax: pagesPerScan(tier),
      scansPerDay: limit,
      scansLeft: Math.max(0, limit - recent.length),
    };
  }

  /**
   * Queues a scan of the given addresses, or of the project's domains; returns its id.
   * @throws DomainError `validation_failed` for addresses outside the project, and for robots.txt that is to be ignored
   * on a host that is not verified; `scanner_unavailable`, `scan_running`, `scan_queue_full`,
   * `too_many_requests` after the day's scans of the plan or of the hosts, or the day's scanner time of the account
   */
  async request(
    { project, author }: { project: Project; author: Author },
    given: ScanOptions,
  ): Promise<string> {
    const urls = await this.startUrls(project, given.urls);
    const skippedStates = statesToSkip(given.skipStates ?? []);
    const ignoreRobots = given.ignoreRobots ?? false;
    if (ignoreRobots) await this.requireVerified(project, urls);
    return this.em.fork().transactional(async (tx) => {
      // One request at a time: the checks below hold until the commit.
      await this.projects.lock(tx, project.id);
      if (!(await isScannerAlive(tx, SCANNER_ALIVE_MS)))
        throw new DomainError('scanner_unavailable', UNAVAILABLE);
      if (await hasActiveScan(tx, project.id))
        throw new DomainError('scan_running', 'A scan of this project is running. Wait for it or cancel it.');
      const now = new Date();
      const tier = await this.licensing.tierOf(project, now);
      const recent = await readRequestTimes(tx, project.id, new Date(now.getTime() - DAY_MS));
      const limit = scansPerDay(tier);
      const waitMs = waitForScanMs(recent, { limit, now });
      if (waitMs > 0)
        throw tooManyRequests(`Your plan includes ${limit} scans in 24 hours. Scan again later.`, waitMs);
      await this.requireHostScans(tx, urls, now);
      await requireAccountShare(tx, { projectId: project.id, now });
      return queueScan(tx, {
        project,
        author,
        urls,
        pagesMax: pagesPerScan(tier),
        skippedStates,
        ignoreRobots,
        origin: 'manual',
      });
    });
  }

  /** Refuses a scan that could visit nothing, because its hosts have reached their daily limit. */
  private async requireHostScans(tx: EntityManager, urls: readonly string[], now: Date): Promise<void> {
    const limit = this.settings.hostScansPerDay;
    const hosts = hostsOf(urls);
    const scans = new Map((await readHostScans(tx, hosts)).map(({ host, times }) => [host, times]));
    const waitMs = Math.min(...hosts.map((host) => waitForScanMs(scans.get(host) ?? [], { limit, now })));
    if (waitMs > 0)
      throw tooManyRequests(
        `${hosts.join(', ')} had ${limit} scans in 24 hours, over all projects. Scan again later.`,
        waitMs,
      );
  }

  /** robots.txt is the host's: only who has shown control of the host may ignore it. */
  private async requireVerified(project: Project, urls: readonly string[]): Promise<void> {
    const unverified = await unverifiedHosts(this.em.fork(), project.id, hostsOf(urls));
    if (unverified.length === 0) return;
    throw fieldErrors([
      {
        field: 'ignoreRobots',
        message: `robots.txt can be ignored only on hosts on which a scan found the loader of this project, or that are its active custom domains. Not verified: ${unverified.join(', ')}. Scan once without this option.`,
        code: 'scan_robots_unverified',
      },
    ]);
  }

  private async startUrls(project: Project, given: readonly string[] | undefined): Promise<string[]> {
    if (given === undefined || given.length === 0) {
      const urls = await this.defaultUrls(project);
      if (urls.length > 0) return urls;
      throw fieldErrors([
        {
          field: 'urls',
          message: 'Enter an address, or add a domain to the project.',
          code: 'scan_urls_missing',
        },
      ]);
    }
    const scope = this.scopeOf(project);
    const normalized = given.map((text) => normalizePageUrl(text));
    const errors = normalized.flatMap((url, index) => {
      const refusal = url === null ? 'malformed' : judgeScanAddress(url, scope);
      return refusal === null ? [] : [{ field: `urls.${index}`, ...ADDRESS_PROBLEMS[refusal] }];
    });
    if (errors.length > 0) throw fieldErrors(errors);
    return [...new Set(normalized.filter((url) => url !== null))];
  }

  /** Start addresses of a scan without any: the home pages of the project's domains. */
  async defaultUrls(project: Project): Promise<string[]> {
    const own = project.domains.slice(0, DEFAULT_DOMAINS_MAX).map((domain) => `https://${domain}/`);
    const scope = this.scopeOf(project);
    const { demoUrls } = this.settings;
    const isDemo = demoUrls.length > 0 && (await findDemoProject(this.em.fork())) === project.id;
    return (isDemo ? demoUrls : own).filter((url) => judgeScanAddress(url, scope) === null);
  }

  private scopeOf({ domains }: Project): ScanScope {
    const { excludedHosts } = this.settings;
    return {
      domains,
      allowedTargets: this.allowedTargets,
      excludedHosts,
      production: this.service.production,
    };
  }
}

/** Over all projects of the account. */
async function requireAccountShare(
  tx: EntityManager,
  request: { projectId: string; now: Date },
): Promise<void> {
  const refusal = await refuseAccount(tx, request);
  if (refusal?.kind === 'queue_full')
    throw new DomainError(
      'scan_queue_full',
      `The projects of the same owner have ${ACCOUNT_QUEUED_MAX} queued scans. Wait until one starts, or cancel one.`,
    );
  if (refusal?.kind === 'no_time')
    throw tooManyRequests(
      `Scanners worked ${ACCOUNT_MINUTES_PER_DAY} minutes for the projects of the same owner in 24 hours. Scan again later.`,
      refusal.waitMs,
    );
}

const ADDRESS_PROBLEMS = {
  malformed: {
    message: 'Enter an address that starts with https:// or http://.',
    code: 'scan_url_malformed',
  },
  outside_project: {
    message: "The host must be one of the project's domains, or below one of them.",
    code: 'scan_url_outside',
  },
  excluded: {
    message: 'The operator of this service excluded this host from scans.',
    code: 'scan_url_excluded',
  },
  port: { message: 'Only the ports 80 and 443 can be scanned.', code: 'scan_url_port' },
} as const;

/** An allowed scan: the caller has checked the rules under the project's lock. */
interface ScanRequest {
  project: { id: string; domains: string[] };
  author: Author;
  urls: string[];
  pagesMax: number;
  /** States that are left out. */
  skippedStates: readonly ScanState[];
  /** Whether pages that robots.txt denies are visited, too. */
  ignoreRobots: boolean;
  origin: ScanOrigin;
}

/**
 * Why the account of a project may queue no further scan: too many are queued, or it waits for scanner time. null: it may,
 * until the transaction ends.
 */
export async function refuseAccount(
  tx: EntityManager,
  { projectId, now }: { projectId: string; now: Date },
): Promise<{ kind: 'queue_full' } | { kind: 'no_time'; waitMs: number } | null> {
  const { queued, hours } = await lockAccountUse(tx, projectId);
  if (queued >= ACCOUNT_QUEUED_MAX) return { kind: 'queue_full' };
  const waitMs = waitForWorkMs(hours, now);
  return waitMs > 0 ? { kind: 'no_time', waitMs } : null;
}

/** Queues a scan, deletes the oldest one where too many are kept, and records the request. Returns the scan's id. */
export async function queueScan(tx: EntityManager, request: ScanRequest): Promise<string> {
  const { project, author, urls, pagesMax, skippedStates, ignoreRobots, origin } = request;
  const id = newId();
  const deleted = await deleteOldScans(tx, project.id, SCANS_KEPT_MAX - 1);
  await deleteEntries(tx, { projectId: project.id, ids: deleted });
  await insertScan(tx, {
    projectId: project.id,
    id,
    urls,
    domains: project.domains,
    pagesMax,
    skippedStates,
    ignoreRobots,
    origin,
    verifiedHosts: await readActiveHosts(tx, project.id),
  });
  await writeAudit(tx, author, {
    projectId: project.id,
    action: 'scan.request',
    target: id,
    after: {
      urls,
      origin,
      ...(skippedStates.length > 0 && { skippedStates }),
      ...(ignoreRobots && { ignoreRobots }),
    },
  });
  return id;
}

function hostsOf(urls: readonly string[]): string[] {
  return [...new Set(urls.map((url) => new URL(url).host))];
}

/** The hosts that neither the loader nor a custom domain shows to be the project's. */
async function unverifiedHosts(em: EntityManager, projectId: string, hosts: string[]): Promise<string[]> {
  const active = await readActiveHosts(em, projectId);
  const unverified: string[] = [];
  for (const host of hosts)
    if (!active.includes(host) && !(await readHost(em, projectId, host)).verified) unverified.push(host);
  return unverified;
}
