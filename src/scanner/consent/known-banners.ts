import type { Locator, Page } from 'playwright-core';
import { CONSENT_GLOBAL } from '../../platform/identity/brand.js';
import { within } from '../browser/within.js';
import type { BeforeChoice, Choice, ChoiceResult } from './choice.js';

const COMMAND_TIMEOUT_MS = 3_000;
const CLICK_TIMEOUT_MS = 5_000;
/** How long a banner that was found may take to load its own parts. */
const READY_TIMEOUT_MS = 5_000;
const POLL_MS = 100;

/** A part of a choice: a call of the banner's documented functions, or a click on its control. */
type Step = { run: string } | { click: string };

/** A banner with a documented way to choose from a page's script. Expressions run in the page. */
interface VendorBanner {
  name: string;
  isThere: string;
  /** Whether its functions work yet. */
  isReady: string;
  /** The last step makes the choice. */
  steps: Partial<Record<Choice, readonly Step[]>>;
}

/** Banners whose withdrawal neither autoconsent's rules nor words on buttons reach. */
const VENDOR_BANNERS: readonly VendorBanner[] = [
  {
    name: 'tarteaucitron',
    isThere: `!!window.tarteaucitron?.userInterface`,
    // It loads its texts and services first; a choice for a service without its script throws.
    isReady: `!!document.getElementById('tarteaucitronRoot') && tarteaucitron.job.every((key) => tarteaucitron.services[key])`,
    steps: {
      accept: [{ run: 'tarteaucitron.userInterface.respondAll(true)' }],
      reject: [{ run: 'tarteaucitron.userInterface.respondAll(false)' }],
      withdraw: [
        { run: 'tarteaucitron.userInterface.openPanel()' },
        { run: 'tarteaucitron.userInterface.respondAll(false)' },
      ],
    },
  },
  {
    name: 'Osano cookieconsent',
    isThere: `!!window.cookieconsent?.initialise`,
    // The tab of its option `revokable`. It is outside the window until the pointer comes near.
    isReady: `!!document.querySelector('.cc-revoke')`,
    steps: {
      withdraw: [{ run: `document.querySelector('.cc-revoke').click()` }, { click: '.cc-window .cc-deny' }],
    },
  },
  {
    name: 'Orejime',
    isThere: `!!window.orejimeConfig || !!window.orejime`,
    isReady: `typeof window.orejime?.manager?.declineAll === 'function'`,
    steps: {
      accept: [{ run: 'orejime.manager.acceptAll()' }],
      reject: [{ run: 'orejime.manager.declineAll()' }],
      withdraw: [{ run: 'orejime.prompt()' }, { run: 'orejime.manager.declineAll()' }],
    },
  },
  {
    name: 'Porsche Cookie Consent Banner',
    isThere: `!!document.querySelector('cookie-consent-banner')`,
    isReady: `!!document.querySelector('cookie-consent-banner.hydrated')`,
    steps: {
      accept: [{ click: 'cookie-consent-banner [part~="button-accept-all"]' }],
      reject: [{ click: 'cookie-consent-banner [part~="button-essential-only"]' }],
      withdraw: [
        { run: `document.dispatchEvent(new Event('cookie_consent_show'))` },
        { click: 'cookie-consent-banner [part~="button-essential-only"]' },
      ],
    },
  },
];

/** Makes a choice as the banner's own documents describe; returns its name. null: no such banner, or a step failed. */
export async function chooseByVendor(
  page: Page,
  choice: Choice,
  beforeChoice: BeforeChoice,
): Promise<string | null> {
  for (const { name, isThere, isReady, steps } of VENDOR_BANNERS) {
    const todo = steps[choice];
    if (!todo || !(await isTrue(page, isThere)) || !(await becomesTrue(page, isReady))) continue;
    for (const [at, step] of todo.entries()) {
      if (at === todo.length - 1) await beforeChoice();
      if (!(await take(page, step))) return null;
    }
    return name;
  }
  return null;
}

async function becomesTrue(page: Page, expression: string): Promise<boolean> {
  const deadlineMs = performance.now() + READY_TIMEOUT_MS;
  while (!(await isTrue(page, expression))) {
    if (performance.now() > deadlineMs) return false;
    await new Promise((wake) => setTimeout(wake, POLL_MS));
  }
  return true;
}

async function isTrue(page: Page, expression: string): Promise<boolean> {
  return (await within<unknown>(COMMAND_TIMEOUT_MS, page.evaluate(expression), false)) === true;
}

async function take(page: Page, step: Step): Promise<boolean> {
  if ('run' in step) return isTrue(page, `(() => { ${step.run}; return true; })()`);
  const click = page.locator(step.click).first().click({ timeout: CLICK_TIMEOUT_MS });
  return within(
    CLICK_TIMEOUT_MS,
    click.then(() => true),
    false,
  );
}

const OWN_READY_TIMEOUT_MS = 6_000;
const OWN_CLICK_TIMEOUT_MS = 8_000;
const CHOICE_TIMEOUT_MS = 6_000;
const CHOICE_POLL_MS = 100;

const HOST = '#consent-banner';
const SETTINGS_LINK = '#consent-settings-link button, [data-consent-settings]';

/** Our banner on a page, as its public API describes it. */
interface OwnBanner {
  /** Categories that it offers. */
  categories: string[];
  /** Whether it only informs: accepting is all that the first layer offers. */
  informs: boolean;
}

/** Runs in the page. null: our banner is not on it, or does not ask here. */
const BANNER_SCRIPT = `(async () => {
  const api = window.${CONSENT_GLOBAL};
  if (!api || !api.ready) return null;
  await Promise.race([api.ready, new Promise((late) => setTimeout(late, ${OWN_READY_TIMEOUT_MS - 1000}))]);
  const configuration = api.configuration;
  const ASKING = ['opt_in', 'opt_out'];
  if (!configuration || !configuration.banner || configuration.banner.enabled !== true || api.mode === 'none') return null;
  return {
    categories: configuration.categories,
    informs: !configuration.categories.some((name) => ASKING.includes(api.modes[name])),
  };
})()`;

const CHOICE_SCRIPT = `(() => {
  const choice = window.${CONSENT_GLOBAL}.choice;
  return choice && Object.entries(choice).filter(([, value]) => value === true).map(([name]) => name);
})()`;

export async function readOwnBanner(page: Page): Promise<OwnBanner | null> {
  const read = await within<unknown>(OWN_READY_TIMEOUT_MS, page.evaluate(BANNER_SCRIPT), null);
  if (typeof read !== 'object' || read === null) return null;
  const { categories, informs } = read as Record<string, unknown>;
  return { categories: texts(categories), informs: informs === true };
}

/**
 * Clicks like a visitor, and compares the choice with the API's. If clicking had another result,
 * the choice is made through the API.
 */
export async function chooseInOwnBanner(
  page: Page,
  banner: OwnBanner,
  { choice, beforeChoice }: { choice: Choice; beforeChoice: BeforeChoice },
): Promise<ChoiceResult> {
  const expected = choice === 'accept' ? banner.categories : [];
  const click = async (control: Locator): Promise<void> => {
    await control.waitFor({ timeout: OWN_CLICK_TIMEOUT_MS });
    await beforeChoice();
    await control.click({ timeout: OWN_CLICK_TIMEOUT_MS });
  };
  const clicked = await CLICKS[choice](page, banner, click).then(
    () => true,
    () => false,
  );
  if (clicked && (await hasChoice(page, expected))) return { kind: 'made', driver: 'own', reason: null };
  await beforeChoice();
  await submit(page, expected, choice);
  if (!(await hasChoice(page, expected))) return { kind: 'failed', reason: 'click_failed' };
  return { kind: 'made', driver: 'own', reason: 'click_mismatch' };
}

/** Clicks through the layers; `choose` makes the last click. */
type Clicks = (page: Page, banner: OwnBanner, choose: (control: Locator) => Promise<void>) => Promise<void>;

const CLICKS: Readonly<Record<Choice, Clicks>> = {
  accept: (page, _banner, choose) => choose(page.locator(`${HOST} .first .answers button`).first()),
  reject: async (page, { informs }, choose) => {
    if (!informs) return choose(page.locator(`${HOST} .first .answers button`).last());
    await page.locator(`${HOST} .first .quiet`).click({ timeout: OWN_CLICK_TIMEOUT_MS });
    await choose(page.locator(`${HOST} .second .answers button`).last());
  },
  withdraw: async (page, _banner, choose) => {
    const link = page.locator(SETTINGS_LINK).first();
    if ((await link.count()) > 0) await link.click({ timeout: OWN_CLICK_TIMEOUT_MS });
    else await within(OWN_CLICK_TIMEOUT_MS, page.evaluate(`window.${CONSENT_GLOBAL}.open()`), undefined);
    await choose(page.locator(`${HOST} .second .consent .withdraw`));
  },
};

async function submit(page: Page, granted: readonly string[], choice: Choice): Promise<void> {
  const flags = Object.fromEntries(granted.map((category) => [category, true]));
  const submission = { ...flags, ...(choice === 'withdraw' && { action: 'withdraw' }) };
  await within<unknown>(
    CHOICE_TIMEOUT_MS,
    page.evaluate(`window.${CONSENT_GLOBAL}.submit(${JSON.stringify(submission)}).then(() => null)`),
    null,
  );
}

/** Whether the API soon has the expected choice. */
async function hasChoice(page: Page, expected: readonly string[]): Promise<boolean> {
  const deadlineMs = performance.now() + CHOICE_TIMEOUT_MS;
  while (performance.now() < deadlineMs) {
    const granted = await within<unknown>(CHOICE_TIMEOUT_MS, page.evaluate(CHOICE_SCRIPT), null);
    if (Array.isArray(granted) && granted.toSorted().join() === [...expected].toSorted().join()) return true;
    await new Promise((wake) => setTimeout(wake, CHOICE_POLL_MS));
  }
  return false;
}

function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];
}
