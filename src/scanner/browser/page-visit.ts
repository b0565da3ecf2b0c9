import { isLoaderOf } from '../domain/own-requests.js';
import { judgeScanAddress, normalizePageUrl, type ScanScope } from '../domain/scan-address.js';
import { LINKS_PER_PAGE_MAX } from '../domain/scan-limits.js';
import type { PageResult } from './frontier.rows.js';
import { PAGE_FACTS_SCRIPT, type PageFacts, readFacts } from './page-script.js';
import type { ScanContext } from './scan-context.js';
import { COMMAND_TIMEOUT_MS, type LoadRules, type Refusals, refusePopups, ScanTab } from './scan-tab.js';
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
      const after = await within(COMMAND_TIMEOUT_MS, context.browser.cookies(), before);
      const finalUrl = normalizePageUrl(tab.page.url());
      return {
        status: failure === null ? 'visited' : 'failed',
        reason: failure,
        httpStatus: response?.status() ?? null,
        finalUrl: finalUrl === url ? null : finalUrl,
        // On a foreign page nothing is verified and nothing is reported.
        loaderFound: facts.scripts.some((script) => isLoaderOf(options.projectId, script)),
        durationMs: Math.round(performance.now() - startedMs),
        items: outside ? [] : await tab.recorder.observe(finalUrl ?? url, { before, after }),
        links: linksIn(facts.links, scope),
        aliases: linksIn([...facts.canonical, finalUrl ?? url], scope).filter((alias) => alias !== url),
        refused,
      };
    } finally {
      stopRefusing();
      // Nothing that the page sends while it closes leaves the machine.
      proxy.closePage();
      await tab.close();
    }
  }
}

async function factsOf({ page, isCrashed }: ScanTab): Promise<PageFacts> {
  return readFacts(
    isCrashed ? null : await within<unknown>(COMMAND_TIMEOUT_MS, page.evaluate(PAGE_FACTS_SCRIPT), null),
  );
}

/** The addresses that may be scanned, each once; those that the operator excluded are listed with that reason. */
function linksIn(links: readonly string[], scope: ScanScope): string[] {
  const normalized = links.map((link) => normalizePageUrl(link));
  const inScope = normalized
    .filter((link) => link !== null)
    .filter((link) => [null, 'excluded'].includes(judgeScanAddress(link, scope)));
  return [...new Set(inScope)].slice(0, LINKS_PER_PAGE_MAX);
}
