import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { Frame, Page } from 'playwright-core';
import { within } from '../browser/within.js';
import type { BeforeChoice } from './choice.js';

/** How long a banner may take to appear, and the steps of its rule. */
const FOUND_TIMEOUT_MS = 5_000;
const DONE_TIMEOUT_MS = 15_000;
const COMMAND_TIMEOUT_MS = 3_000;
const POLL_MS = 100;
const MESSAGES_MAX = 2_000;
const NAME_CHARACTERS_MAX = 60;

/**
 * A function that the package's script calls in the page, and one that returns the arguments of the calls.
 * `exposeBinding` would leave a function in the page that ends this process when the page calls it.
 */
const MAILBOX_SCRIPT = `(() => {
  const messages = [];
  let wake = () => {};
  window.autoconsentSendMessage = (message) => { messages.push(message); wake(); };
  window.autoconsentMessages = async () => {
    if (messages.length === 0) await new Promise((arrived) => { wake = arrived; });
    return messages.splice(0);
  };
})();`;

type Action = 'optOut' | 'optIn';

/** `found`: a known banner is shown, but its rule did not reach its end in time, or failed. */
type RuleResult = { kind: 'made'; cmp: string } | { kind: 'failed'; cmp: string } | { kind: 'none' };

interface Rule {
  name: string;
  runContext?: { main?: boolean; frame?: boolean; urlPattern?: string };
  optIn: unknown;
  optOut: unknown;
}

/** What autoconsent may do: choose by its rules, and neither hide banners nor guess. */
const CONFIG = {
  enabled: true,
  disabledCmps: [],
  enablePrehide: false,
  enableCosmeticRules: false,
  detectRetries: 8,
  enableGeneratedRules: true,
  isMainWorld: true,
  heuristicMode: 'off',
  enableHeuristicDetection: false,
};

let loaded: { script: string; rules: Rule[] } | null = null;

/** The unmodified package's script and rules, read on first use. */
function autoconsent(): { script: string; rules: Rule[] } {
  if (loaded) return loaded;
  const find = createRequire(import.meta.url);
  const folder = dirname(find.resolve('@duckduckgo/autoconsent'));
  const { autoconsent: rules } = find('@duckduckgo/autoconsent/rules/rules.json') as { autoconsent: Rule[] };
  loaded = { script: readFileSync(join(folder, 'autoconsent.playwright.js'), 'utf8'), rules };
  return loaded;
}

/** Runs in one page: its messages are the page's, and nothing but its own result depends on them. */
class RuleRun {
  found: string | null = null;
  result: { cmp: string; done: boolean } | null = null;
  private messages = 0;
  private ended = false;

  constructor(
    private readonly page: Page,
    private readonly action: Action,
    private readonly beforeChoice: BeforeChoice,
  ) {}

  async inject(frame: Frame): Promise<void> {
    const script = `${MAILBOX_SCRIPT}\n${autoconsent().script}`;
    await within<unknown>(COMMAND_TIMEOUT_MS, frame.evaluate(script), undefined);
    void this.receiveAll(frame);
  }

  end(): void {
    this.ended = true;
  }

  /** Until the run ends or the frame leaves its page. */
  private async receiveAll(frame: Frame): Promise<void> {
    try {
      // A page can replace the function by one that never waits.
      for (let round = 0; !this.ended && round < MESSAGES_MAX; round += 1) {
        const messages: unknown = await frame.evaluate('window.autoconsentMessages()');
        if (!Array.isArray(messages)) return;
        for (const message of messages) this.receive(frame, message);
      }
    } catch {
      // The frame is deleted, or its page has replaced the function.
    }
  }

  private receive(frame: Frame, message: unknown): void {
    this.messages += 1;
    if (this.messages > MESSAGES_MAX || typeof message !== 'object' || message === null) return;
    const { type, cmp, result, totalClicks } = message as Record<string, unknown>;
    const name = typeof cmp === 'string' ? cmp.slice(0, NAME_CHARACTERS_MAX) : 'unknown';
    switch (type) {
      case 'init':
        void this.start(frame);
        break;
      case 'popupFound':
        this.found ??= name;
        // The rule clicks in the next moment.
        void this.beforeChoice();
        break;
      case 'optOutResult':
      case 'optInResult':
        if (result !== true) this.result ??= { cmp: name, done: false };
        break;
      case 'autoconsentDone':
        this.result = { cmp: name, done: Number(totalClicks) > 0 || callsBanner(name, this.action) };
        break;
    }
  }

  private async start(frame: Frame): Promise<void> {
    const isMain = frame === this.page.mainFrame();
    const rules = autoconsent().rules.filter((rule) => appliesTo(rule, frame.url(), isMain));
    const message = {
      type: 'initResp',
      rules: { autoconsent: rules },
      config: { ...CONFIG, autoAction: this.action },
    };
    await within<unknown>(
      COMMAND_TIMEOUT_MS,
      frame.evaluate(`void window.autoconsentReceiveMessage(${JSON.stringify(message)})`),
      undefined,
    );
  }
}

/** Chooses by the rules of autoconsent, in all frames of the page. */
export async function chooseByRules(
  page: Page,
  action: Action,
  beforeChoice: BeforeChoice,
): Promise<RuleResult> {
  const run = new RuleRun(page, action, beforeChoice);
  const inject = (frame: Frame): void => void run.inject(frame);
  page.on('framenavigated', inject);
  try {
    await Promise.all(page.frames().map((frame) => run.inject(frame)));
    await until(() => run.found !== null || run.result !== null, FOUND_TIMEOUT_MS);
    if (run.found === null && run.result === null) return { kind: 'none' };
    await until(() => run.result !== null, DONE_TIMEOUT_MS);
    const cmp = run.result?.cmp ?? run.found ?? 'unknown';
    return { kind: run.result?.done === true ? 'made' : 'failed', cmp };
  } finally {
    page.off('framenavigated', inject);
    run.end();
  }
}

/** Whether a rule chooses through functions of the banner. One that neither does so nor clicks has only hidden it. */
function callsBanner(name: string, action: Action): boolean {
  const rule = autoconsent().rules.find((each) => each.name === name);
  return rule === undefined || JSON.stringify(rule[action]).includes('"eval"');
}

function appliesTo({ runContext = {} }: Rule, url: string, isMain: boolean): boolean {
  const { main = true, frame = false, urlPattern } = runContext;
  if (isMain ? !main : !frame) return false;
  return urlPattern === undefined || urlPattern === '' || matches(urlPattern, url);
}

function matches(pattern: string, url: string): boolean {
  try {
    return new RegExp(pattern).test(url);
  } catch {
    return false;
  }
}

async function until(isTrue: () => boolean, timeoutMs: number): Promise<void> {
  const deadlineMs = performance.now() + timeoutMs;
  while (!isTrue() && performance.now() < deadlineMs) await new Promise((wake) => setTimeout(wake, POLL_MS));
}
