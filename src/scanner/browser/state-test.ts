import { setTimeout as sleep } from 'node:timers/promises';
import type { RecordedExchange, HarPage } from './har.js';
import type { ObservedItem } from '../../modules/scans/domain/observation.js';
import type { ScanState, StateReason } from '../../modules/scans/domain/scan-state.js';
import type { Choice, ChoiceResult } from '../consent/choice.js';
import { makeChoice } from '../consent/make-choice.js';
import { asksAgain } from '../consent/word-buttons.js';
import { presentItems, type StoredCookie, unattributed } from './cookie-items.js';
import { SCROLL_SCRIPT } from './page-script.js';
import {
  COMMAND_TIMEOUT_MS,
  type LoadRules,
  type Refusals,
  refusePopups,
  type ScanContext,
  ScanTab,
} from './scan-tab.js';
import { within } from './within.js';

/** How long to observe the effects of a choice before pages are loaded again. */
const AFTER_CHOICE_MS = 1_500;
const SCREENSHOT_TIMEOUT_MS = 8_000;
const SCREENSHOT_QUALITY = 60;
const SCROLL_TIMEOUT_MS = 5_000;

/** A page that a state is tested on. */
export interface StatePage {
  number: number;
  url: string;
}

export interface StateOptions extends LoadRules {
  dwellMs: number;
  /** Keeps the pages of a host apart. */
  pace: {
    wait(url: string): Promise<void>;
    countVisit(url: string, answered: ReadonlyMap<string, number>): Promise<void>;
  };
}

/** The observations in a state. */
export interface StateResult {
  status: 'tested' | 'not_tested';
  /** Why it was not tested, or not on all pages, or a peculiarity of the choice. */
  reason: StateReason | null;
  driver: string | null;
  /** Numbers of the pages that were loaded. */
  pages: number[];
  items: Map<number, ObservedItem[]>;
  /** A JPEG of the first page. */
  screenshot: Buffer | null;
  archive: { pages: HarPage[]; exchanges: RecordedExchange[] };
  refused: Refusals;
}

/** The choices that lead to each state. */
const CHOICES: Readonly<Record<ScanState, readonly Choice[]>> = {
  before: [],
  signal: [],
  reject: ['reject'],
  accept: ['accept'],
  withdraw: ['accept', 'withdraw'],
};

interface OpenPage extends StatePage {
  tab: ScanTab;
  openedAt: Date;
  isLoaded: boolean;
}

/**
 * Tests one state in a fresh profile: makes its choice on the first page, then loads all pages, one at a time, and
 * leaves each open for the dwell time, scrolled to its end.
 */
export async function testState(
  context: ScanContext,
  state: ScanState,
  { pages, options }: { pages: readonly StatePage[]; options: StateOptions },
): Promise<StateResult> {
  return new StateTest(context, options, pages).run(state);
}

class StateTest {
  private readonly refused: Refusals = { downloads: 0, popups: 0, dialogs: 0 };
  private open: OpenPage[] = [];
  /** The cookies of the profile when the choice was made. */
  private before: readonly StoredCookie[] = [];
  /** Of the first page, before it is left. */
  private screenshot: Buffer | null = null;

  constructor(
    private readonly context: ScanContext,
    private readonly options: StateOptions,
    private readonly pages: readonly StatePage[],
  ) {}

  async run(state: ScanState): Promise<StateResult> {
    const { context, options, refused } = this;
    // The page of the choice is loaded twice.
    options.proxy.openPage(this.pages.length * 2);
    for (const page of this.pages) {
      const tab = await ScanTab.open(context, refused);
      this.open.push({ ...page, tab, openedAt: new Date(), isLoaded: false });
    }
    const stopRefusing = refusePopups(context, refused);
    try {
      const choice = await this.choose(CHOICES[state]);
      if (choice?.kind === 'failed') return await this.notTested(choice.reason);
      await this.loadAll();
      return await this.observe(state, choice);
    } finally {
      stopRefusing();
      options.proxy.closePage();
      await Promise.all(this.open.map(({ tab }) => tab.close()));
    }
  }

  /** Makes the choices on the first page that can be loaded. null: the state has none. */
  private async choose(choices: readonly Choice[]): Promise<ChoiceResult | null> {
    if (choices.length === 0) return null;
    const page = await this.loadFirst();
    if (page === null) return { kind: 'failed', reason: 'pages_failed' };
    const results: Extract<ChoiceResult, { kind: 'made' }>[] = [];
    for (const choice of choices) {
      // The site is used between an acceptance and its withdrawal.
      if (choice === 'withdraw') {
        await this.loadAll({ dwellMs: 0 });
        if (!(await this.load(page))) return { kind: 'failed', reason: 'pages_failed' };
      }
      const made = await makeChoice(page.tab.page, choice, async () => {
        for (const { tab } of this.open) tab.recorder.restart();
        this.before = await this.cookies();
      });
      if (made.kind === 'failed') return made;
      results.push(made);
      await sleep(AFTER_CHOICE_MS);
    }
    const odd = results.find(({ reason }) => reason !== null);
    return odd ?? results.at(-1) ?? null;
  }

  private async loadFirst(): Promise<OpenPage | null> {
    for (const page of this.open) {
      if (await this.load(page)) return page;
    }
    return null;
  }

  /** Loads the pages one after the other; each stays open for its dwell time. */
  private async loadAll({ dwellMs } = { dwellMs: this.options.dwellMs }): Promise<void> {
    const dwelling: Promise<void>[] = [];
    for (const page of this.open) {
      if (await this.load(page)) dwelling.push(dwell(page.tab, dwellMs));
    }
    await Promise.all(dwelling);
  }

  private async load(page: OpenPage): Promise<boolean> {
    const { pace } = this.options;
    await pace.wait(page.url);
    const { failure } = await page.tab.load(page.url, this.options);
    await pace.countVisit(page.url, page.tab.answered);
    page.isLoaded = failure === null;
    return page.isLoaded;
  }

  private async observe(state: ScanState, choice: ChoiceResult | null): Promise<StateResult> {
    const loaded = this.open.filter(({ isLoaded }) => isLoaded);
    const [first] = loaded;
    if (!first) return this.notTested('pages_failed');
    const odd = choice?.kind === 'made' ? (choice.reason ?? (await this.oddityOf(state, first))) : null;
    this.screenshot = await takeScreenshot(first.tab);
    for (const { tab } of loaded) await tab.recorder.readContent();
    // One at a time: reports of pages that are left together come too late.
    for (const { tab } of loaded) await tab.leave();
    const profile = { before: this.before, after: await this.cookies(), shared: true };
    const items = new Map<number, ObservedItem[]>();
    for (const { number, url, tab } of loaded)
      items.set(number, await tab.recorder.observe(url, { profile, entries: null }));
    // They cannot be attributed to a page.
    const rest = unattributed(profile, [...items.values()].flat());
    const present = presentItems(rest, new URL(first.url).host);
    items.set(first.number, [...present, ...(items.get(first.number) ?? [])]);
    return {
      ...(await this.result('tested', loaded.length < this.open.length ? 'pages_failed' : odd)),
      driver: choice?.kind === 'made' ? choice.driver : null,
      items,
    };
  }

  private async oddityOf(state: ScanState, { tab }: OpenPage): Promise<StateReason | null> {
    return state === 'reject' && (await asksAgain(tab.page)) ? 'asked_again' : null;
  }

  private notTested(reason: StateReason): Promise<StateResult> {
    return this.result('not_tested', reason);
  }

  private async result(status: StateResult['status'], reason: StateReason | null): Promise<StateResult> {
    const loaded = this.open.filter(({ isLoaded }) => isLoaded);
    const exchanges = await Promise.all(loaded.map(({ number, tab }) => tab.recorder.exchanges(number)));
    return {
      status,
      reason,
      driver: null,
      pages: loaded.map(({ number }) => number),
      items: new Map(),
      screenshot: this.screenshot ?? (loaded[0] ? await takeScreenshot(loaded[0].tab) : null),
      archive: {
        pages: loaded.map(({ number, url, openedAt }) => ({ number, url, startedAt: openedAt })),
        exchanges: exchanges.flat(),
      },
      refused: this.refused,
    };
  }

  private cookies(): Promise<readonly StoredCookie[]> {
    return within(COMMAND_TIMEOUT_MS, this.context.browser.cookies(), this.before as StoredCookie[]);
  }
}

async function dwell({ page }: ScanTab, dwellMs: number): Promise<void> {
  if (dwellMs === 0) return;
  const endMs = performance.now() + dwellMs;
  await sleep(dwellMs / 4);
  await within<unknown>(SCROLL_TIMEOUT_MS, page.evaluate(SCROLL_SCRIPT), undefined);
  await sleep(Math.max(0, endMs - performance.now()));
}

async function takeScreenshot({ page }: ScanTab): Promise<Buffer | null> {
  await within<unknown>(COMMAND_TIMEOUT_MS, page.evaluate('window.scrollTo(0, 0)'), undefined);
  const options = { type: 'jpeg', quality: SCREENSHOT_QUALITY, timeout: SCREENSHOT_TIMEOUT_MS } as const;
  return within<Buffer | null>(SCREENSHOT_TIMEOUT_MS, page.screenshot(options), null);
}
