import type { Locator, Page } from 'playwright-core';
import { CONSENT_GLOBAL } from '../../platform/identity/brand.js';
import { within } from '../browser/within.js';
import type { BeforeChoice, Choice, ChoiceResult } from './choice.js';

const READY_TIMEOUT_MS = 6_000;
const CLICK_TIMEOUT_MS = 8_000;
const CHOICE_TIMEOUT_MS = 6_000;
const POLL_MS = 100;

const HOST = '#consent-banner';
const SETTINGS_LINK = '#consent-settings-link button, [data-consent-settings]';

/** Our banner on a page, as its public API describes it. */
interface OwnBanner {
  /** Categories that it offers. */
  categories: string[];
  /** Labels of the button that withdraws consent, in the banner's languages. */
  withdrawLabels: string[];
  /** Whether it only informs: accepting is all that the first layer offers. */
  informs: boolean;
}

/** Runs in the page. null: our banner is not on it, or does not ask here. */
const BANNER_SCRIPT = `(async () => {
  const api = window.${CONSENT_GLOBAL};
  if (!api || !api.ready) return null;
  await Promise.race([api.ready, new Promise((late) => setTimeout(late, ${READY_TIMEOUT_MS - 1000}))]);
  const configuration = api.configuration;
  const ASKING = ['opt_in', 'opt_out'];
  if (!configuration || !configuration.banner || configuration.banner.enabled !== true || api.mode === 'none') return null;
  return {
    categories: configuration.categories,
    withdrawLabels: configuration.texts.map(({ labels }) => labels && labels.withdraw).filter(Boolean),
    informs: !configuration.categories.some((name) => ASKING.includes(api.modes[name])),
  };
})()`;

const CHOICE_SCRIPT = `(() => {
  const choice = window.${CONSENT_GLOBAL}.choice;
  return choice && Object.entries(choice).filter(([, value]) => value === true).map(([name]) => name);
})()`;

export async function readOwnBanner(page: Page): Promise<OwnBanner | null> {
  const read = await within<unknown>(READY_TIMEOUT_MS, page.evaluate(BANNER_SCRIPT), null);
  if (typeof read !== 'object' || read === null) return null;
  const { categories, withdrawLabels, informs } = read as Record<string, unknown>;
  return { categories: texts(categories), withdrawLabels: texts(withdrawLabels), informs: informs === true };
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
    await control.waitFor({ timeout: CLICK_TIMEOUT_MS });
    await beforeChoice();
    await control.click({ timeout: CLICK_TIMEOUT_MS });
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
    await page.locator(`${HOST} .first .quiet`).click({ timeout: CLICK_TIMEOUT_MS });
    await choose(page.locator(`${HOST} .second .answers button`).last());
  },
  withdraw: async (page, { withdrawLabels }, choose) => {
    const link = page.locator(SETTINGS_LINK).first();
    if ((await link.count()) > 0) await link.click({ timeout: CLICK_TIMEOUT_MS });
    else await within(CLICK_TIMEOUT_MS, page.evaluate(`window.${CONSENT_GLOBAL}.open()`), undefined);
    const buttons = page.locator(`${HOST} .second .consent button`);
    await buttons.first().waitFor({ timeout: CLICK_TIMEOUT_MS });
    for (const button of await buttons.all())
      if (withdrawLabels.includes(((await button.textContent()) ?? '').trim())) return choose(button);
    throw new Error('The banner has no button that withdraws consent.');
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
    await new Promise((wake) => setTimeout(wake, POLL_MS));
  }
  return false;
}

function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];
}
