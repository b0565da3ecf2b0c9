import type { Response } from 'playwright-core';
import { HTML_CHARACTERS_MAX, htmlAddresses } from '../site/html-addresses.js';
import { isLoaderOf } from './guarded-proxy.js';
import {
  judgeScanAddress,
  normalizePageUrl,
  type ScanScope,
} from '../../modules/scans/domain/scan-address.js';
import { LINKS_PER_PAGE_MAX } from '../../modules/scans/domain/scan-limits.js';
import type { PageResult } from '../../modules/scans/infrastructure/frontier.rows.js';
import { PAGE_FACTS_SCRIPT, type PageFacts, readFacts } from './page-script.js';
import {
  COMMAND_TIMEOUT_MS,
  type LoadRules,
  type Refusals,
  refusePopups,
  type ScanContext,
  ScanTab,
} from './scan-tab.js';
import { within } from './within.js';

interface VisitOptions extends LoadRules {
  projectId: string;
}

/** A tab that is open, so that its page can be requested at once. */
export class PageVisit {
  private constructor(
    private readonly context: ScanContext,
    private readonly tab: ScanTab,
    private readonly refused: Refusals,
  ) {}

  static async open(context: ScanContext): Promise<PageVisit> {
    const refused = { downloads: 0, popups: 0, dialogs: 0 };
    return new PageVisit(context, await ScanTab.open(context, refused), refused);
  }

  /** When pages of the visit were answered, by origin. */
  get answered(): ReadonlyMap<string, number> {
    return this.tab.answered;
  }

  /** Loads the page, waits until it is quiet, and returns what it stored and requested. */
  async load(url: string, options: VisitOptions): Promise<PageResult> {
    const startedMs = performance.now();
    const { context, tab, refused } = this;
    const { proxy, scope } = options;
    proxy.openPage();
    const stopRefusing = refusePopups(context, refused);
    try {
      const before = await context.browser.cookies();
      const { failure, response } = await tab.load(url, options);
      const outside = failure === 'redirected_outside';
      const facts = outside ? readFacts(null) : await factsOf(tab);
      const address = tab.page.url();
      const finalUrl = normalizePageUrl(address);
      let addresses: string[] = [];
      if (!outside) {
        await tab.recorder.readContent();
        if (failure === null) addresses = await addressesOf(response, address);
        await tab.leave();
      }
      const after = await within(COMMAND_TIMEOUT_MS, context.browser.cookies(), before);
      const seen = { profile: { before, after }, entries: context.entries };
      return {
        status: failure === null ? 'visited' : 'failed',
        reason: failure,
        httpStatus: response?.status() ?? null,
        finalUrl: finalUrl === url ? null : finalUrl,
        // The page's own markup does not count, nor scripts of documents before a redirect.
        loaderFound:
          !outside && tab.recorder.scriptsOf(address).some((script) => isLoaderOf(options.projectId, script)),
        htmlAddresses: addresses,
        durationMs: Math.round(performance.now() - startedMs),
        items: outside ? [] : await tab.recorder.observe(finalUrl ?? url, seen),
        links: linksIn(facts.links, scope),
        aliases: linksIn([...facts.canonical, finalUrl ?? url], scope).filter((alias) => alias !== url),
        refused,
      };
    } finally {
      stopRefusing();
      // Requests after the page was left never leave the machine.
      proxy.closePage();
      await tab.close();
    }
  }
}

/** What the HTML of a page requests. Empty: the browser no longer has it, because it is too long. */
async function addressesOf(response: Response | null, address: string): Promise<string[]> {
  if (response === null || !URL.canParse(address)) return [];
  const reading = Promise.all([response.body(), response.headersArray()]);
  const [body, headers] = await within(COMMAND_TIMEOUT_MS, reading, [Buffer.alloc(0), []]);
  const policies = headers
    .filter(({ name }) => name.toLowerCase() === 'content-security-policy')
    .flatMap(({ value }) => value.split(','));
  // Names and addresses are ASCII, whatever the encoding of the text is.
  return htmlAddresses(body.subarray(0, HTML_CHARACTERS_MAX).toString('latin1'), address, policies);
}

async function factsOf({ page, isCrashed }: ScanTab): Promise<PageFacts> {
  return readFacts(
    isCrashed ? null : await within<unknown>(COMMAND_TIMEOUT_MS, page.evaluate(PAGE_FACTS_SCRIPT), null),
  );
}

/**
 * The addresses that may be scanned, without duplicates; addresses that the operator excluded are
 * listed with that reason.
 */
function linksIn(links: readonly string[], scope: ScanScope): string[] {
  const normalized = links.map((link) => normalizePageUrl(link));
  const inScope = normalized
    .filter((link) => link !== null)
    .filter((link) => [null, 'excluded'].includes(judgeScanAddress(link, scope)));
  return [...new Set(inScope)].slice(0, LINKS_PER_PAGE_MAX);
}
