import type { Page } from 'playwright-core';
import { within } from '../browser/within.js';
import type { BeforeChoice, Choice } from './choice.js';

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
