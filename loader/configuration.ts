/** The published configuration, the visitor's region, and what follows from both. One page has one of each. */
import { modesOf, resolveRule } from './mode';
import { base, projectId, storageKey } from './page';
import type { Category, Rule, SiteConfiguration } from './site';
import { readJson, writeJson } from './storage';

/** Smaller differences between the clocks are ignored. */
const CLOCK_DIFFERENCE_MIN_MS = 60_000;
/** A country, with or without a subdivision; not a code for a continent or for an unknown place. */
const REGION = /^(?!EU|AP|ZZ)[A-Z]{2}(-|$)/;
const MODE = /^(opt_in|opt_out|notice|none)$/;

/** null until it has loaded, or if it never did. */
export let configuration: SiteConfiguration | null = null;
/** The last good one, until this page's has arrived. */
export let lastGood = readJson<SiteConfiguration>(storageKey('configuration'));
export let region = lastGood?.region ?? UNKNOWN_REGION;
export let clockAheadMs = 0;

/** True where the region is unknown, and where an older document has no list. */
export const isEu = (): boolean =>
  lastGood?.euRegions?.concat(UNKNOWN_REGION).includes(region.slice(0, 2)) ?? true;
export const rule = (): Rule => resolveRule(configuration, region, isEu);
/** A dismissed notice is no answer to it. */
export const isSignaled = (): unknown =>
  (navigator as { globalPrivacyControl?: boolean }).globalPrivacyControl &&
  (rule().honorGlobalPrivacyControl ?? configuration?.honorGlobalPrivacyControl);
export const modes = (): Record<Category, string> => modesOf(rule);
/** The strictest. */
export const mode = (): string => rule().mode;

/** Known without the configuration wherever the API serves the loader, under any path. */
export const consentUrl = (): URL =>
  new URL(configuration?.consentUrl || `../../v1/projects/${projectId}/consents`, base);

/** Uses the last valid configuration if none has loaded. */
export const useLastGood = (): void => void (configuration ??= lastGood);

/**
 * Fetches the configuration. `check` reads the parts that the page needs and throws if it cannot:
 * such a document is treated like a failed request.
 */
export const loadConfiguration = async (check: () => void): Promise<void> => {
  const last = lastGood;
  try {
    const response = await fetch(new URL('config.json', base), {
      // Revalidates each time, which costs a 304 without changes.
      cache: 'no-cache',
      credentials: 'omit',
    });
    const fresh = (await response.json()) as SiteConfiguration;
    // Too late: the page already uses the last good one.
    if (configuration) return;
    lastGood = configuration = fresh;
    const reported = response.headers.get(REGION_HEADER)?.toUpperCase() as string;
    fresh.region = region = REGION.test(reported) ? reported : fresh.region;
    const aheadMs = Date.now() - Date.parse(response.headers.get('Date') as string);
    if (aheadMs ** 2 > CLOCK_DIFFERENCE_MIN_MS ** 2) clockAheadMs = aheadMs;
    check();
    // Throws for any other value.
    Object.values(modes())
      .concat(mode())
      .forEach((name) => MODE.test(name) || (MODE as never as () => void)());
    new URL(fresh.visitsUrl as string, consentUrl());
    fresh.texts.forEach(({ language }) => language.trim());
    new RegExp(fresh.previewHosts as string);
    writeJson(storageKey('configuration'), fresh);
  } catch {
    lastGood = configuration = last;
    region = last?.region ?? UNKNOWN_REGION;
  }
};
