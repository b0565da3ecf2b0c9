import { findChromium, type OpenChromium, openChromium } from '../../../src/scanner/browser/chromium.js';
import type { PageResult } from '../../../src/modules/scans/infrastructure/frontier.rows.js';
import {
  GuardedProxy,
  REQUEST_LIMIT,
  type RequestLimit,
} from '../../../src/scanner/browser/guarded-proxy.js';
import { PageVisit } from '../../../src/scanner/browser/page-visit.js';
import { ScanContext } from '../../../src/scanner/browser/scan-tab.js';
import { browserUser } from '../../../src/standalone/server-user.js';
import { parseExceptions } from '../../../src/platform/network/address-policy.js';
import { NameResolver } from '../../../src/platform/network/name-resolver.js';

const PAGE_TIMEOUT_MS = 60_000;

/** A scanner's browser in this process, without a scan. */
export interface ScanBrowser {
  chromium: OpenChromium;
  context: ScanContext;
  /** Visits a page as a crawl does. */
  visit(url: string, timeoutMs?: number): Promise<PageResult>;
  close(): Promise<void>;
}

/** `targets`: `host:port` of this machine that pages may reach. */
export async function openScanBrowser(
  projectId: string,
  targets: readonly string[],
  {
    requestLimit = REQUEST_LIMIT,
    diskBytesMax = 1e9,
  }: { requestLimit?: RequestLimit; diskBytesMax?: number } = {},
): Promise<ScanBrowser> {
  const proxy = new GuardedProxy({
    resolver: new NameResolver({ timeoutMs: 10_000 }),
    exceptions: parseExceptions([...targets]),
    excludedHosts: [],
    connectTimeoutMs: 10_000,
    pageBytesMax: 50_000_000,
    requestLimit,
  });
  const path = findChromium('') ?? '';
  const user = process.getuid?.() === 0 ? browserUser() : null;
  const options = {
    contact: '',
    path,
    version: 'test',
    sandbox: true,
    user,
    memoryBytesMax: 1.5e9,
    diskBytesMax,
  };
  const chromium = await openChromium(options, await proxy.listen());
  const context = await ScanContext.prepare(chromium.context);
  const scope = { domains: [], allowedTargets: new Set(targets), excludedHosts: [], production: false };
  return {
    chromium,
    context,
    visit: async (url, timeoutMs = PAGE_TIMEOUT_MS) => {
      const visit = await PageVisit.open(context);
      return visit.load(url, { projectId, scope, timeoutMs, proxy });
    },
    close: async () => {
      await chromium.close();
      await proxy.close();
    },
  };
}
