/**
 * The script on the customer's site (docs/loader.md). It makes one request, for the published configuration,
 * sets the global with tier and region, and sends the banner's choices to the service. Where the configuration
 * says so it shows our own banner, which it loads when a choice is needed. It never throws into the page, and works
 * without storage.
 */
import { type Choice, googleConsent } from './google-consent';
import { keeperOf } from './keeper';
import { modeOf } from './mode';
import { ofDocument } from './own-document';
import { ownGlobal } from './own-global';
import { consentQueue } from './queue';
import type { Consent, SiteConfiguration, StoredChoice, Submission } from './site';
import { readJson, writeJson } from './storage';
import { uuidV7 } from './uuid';

/** After so long the last good configuration is used, or the default. */
const CONFIGURATION_TIMEOUT_MS = 4000;
/** A clock that differs by less is right enough. */
const CLOCK_DIFFERENCE_MIN_MS = 60_000;
/** The mean month of the Gregorian calendar, to within 5 minutes. */
const MONTH_MS = 2_630_000_000;
/** A country, with or without a subdivision; not a code for a continent or for an unknown place. */
const REGION = /^(?!EU|AP|ZZ)[A-Z]{2}(-|$)/;
const EVERYTHING: Choice = { analytics: true, marketing: true, preferences: true };
const ALL = Object.keys(EVERYTHING) as (keyof Choice)[];

const start = (): void => {
  const script = ofDocument('currentScript') as HTMLScriptElement | null;
  // Loaded twice: the first one has done it all.
  if (ownGlobal(CONSENT_GLOBAL)) return;
  if (!script) {
    // A module learns its address only from `import.meta`, which is a syntax error in a plain script.
    // oxlint-disable-next-line no-console -- the one who writes the page reads it there
    console.warn(`${META_GLOBAL}: no type=module`);
    return;
  }
  const base = script.src;
  const domain = location.hostname;
  const projectId = script.dataset.projectId ?? /([\da-f-]{36})\/[^/]*$/i.exec(base)?.[1] ?? '';
  const key = `${META_GLOBAL}:${projectId}:`;
  let configuration: SiteConfiguration | null = null;
  /** The last good one, until this page's is there. */
  let known = readJson<SiteConfiguration>(`${key}configuration`);
  let region = UNKNOWN_REGION;
  let clockAheadMs = 0;

  const country = (): string => region.slice(0, 2);
  /** Who is nowhere known is; so is everybody, where an older document does not say. */
  const isEu = (): boolean => region === UNKNOWN_REGION || (known?.euRegions?.includes(country()) ?? true);
  const mode = (): string => modeOf(configuration, [region, country(), isEu() && EU_GROUP]);

  /** The last choice, of whichever tab. */
  const stored = (): StoredChoice | null => readJson(`${key}choice`);
  /** The question that a choice answers; a different question is asked again. A notice is not an agreement elsewhere. */
  const question = (action?: string): string | undefined =>
    known?.categories
      ?.concat(known.policyVersion as never, (action === 'dismiss' ? mode() : []) as never)
      .sort()
      .join();
  /** The visitor's choice, where it still holds. What an older loader has stored knows neither question nor time. */
  const choice = (last = stored()): StoredChoice | null =>
    last &&
    (!known || !last.question || last.question === question(last.action)) &&
    // Without a number of months this is never so.
    !(Date.now() - (last.at as number) > (known?.reconsentMonths as number) * MONTH_MS)
      ? last
      : null;
  const update = googleConsent(choice());
  const open = (): Promise<void> => ready.then(() => keeper.show(consent, 'link'));
  const keeper = keeperOf(script, open);
  const keep = (granted: Choice): void => {
    update(granted);
    keeper.apply(known, granted);
  };

  /** Where a consent goes is known without the configuration, wherever API and loader share an origin. */
  const consentUrl = (): URL =>
    new URL(configuration?.consentUrl || `/v1/projects/${projectId}/consents`, base);
  const queue = consentQueue(`${key}queue`, consentUrl);

  const submit = async (submission: Submission): Promise<object> => {
    try {
      const { offered, ...given } = submission;
      const flags = {} as Choice;
      const granted = ALL.filter((category) => (flags[category] = given[category] === true));
      // Who may choose two and takes both has accepted everything.
      const missing = (offered ?? known?.categories ?? ALL).some((category) => given[category] !== true);
      const id = uuidV7(Date.now() - clockAheadMs);
      const { policyVersion, bannerVersion, configHash, region } = configuration ?? {};
      const context = {
        surface: 'api',
        hostname: domain || undefined,
        policyVersion,
        bannerVersion,
        configHash,
        region,
      };
      const action = given.action ?? (!granted[0] ? 'reject_all' : missing ? 'custom' : 'accept_all');
      const body = JSON.stringify({ ...context, ...given, ...flags, action, id });
      writeJson(`${key}choice`, { ...flags, id, at: Date.now(), action, question: question(action) });
      keep(flags);
      return queue.send(id, body);
    } catch (error) {
      return { id: null, stored: false, status: 0, detail: String(error) };
    }
  };

  let whenReady: (meta: object) => void;
  const ready = new Promise<object>((resolve) => (whenReady = resolve));
  const consent: Consent = Object.freeze({
    submit,
    ready,
    /** Our own banner's second layer, once the configuration is there. */
    open,
    /** The published configuration: texts, categories, versions; null before `ready`, and where there is none. */
    get configuration() {
      return configuration;
    },
    /** What the visitor has chosen on this site; null: nothing yet, or it is time to ask again. */
    get choice() {
      return Object.freeze(choice());
    },
    /** `opt_in`, `opt_out`, `notice` or `none`: what holds without a choice. */
    get mode() {
      return mode();
    },
  });
  (window as unknown as Record<string, unknown>)[CONSENT_GLOBAL] = consent;

  const load = async (): Promise<void> => {
    const last = known;
    const abort = new AbortController();
    // After the answer it aborts nothing.
    setTimeout(() => abort.abort(), CONFIGURATION_TIMEOUT_MS);
    try {
      const response = await fetch(new URL('config.json', base), {
        // Revalidates each time, which costs a 304 where nothing has changed.
        cache: 'no-cache',
        credentials: 'omit',
        signal: abort.signal,
      });
      const fresh = (known = configuration = (await response.json()) as SiteConfiguration);
      const told = response.headers.get(REGION_HEADER)?.toUpperCase() as string;
      fresh.region = region = REGION.test(told) ? told : fresh.region;
      const aheadMs = Date.now() - Date.parse(response.headers.get('Date') as string);
      if (aheadMs ** 2 > CLOCK_DIFFERENCE_MIN_MS ** 2) clockAheadMs = aheadMs;
      // Reads what the page is going to read. A document where this throws is used no more than one that did not come.
      question('dismiss');
      choice(EVERYTHING);
      (['opt_in', 'opt_out', 'notice', 'none'].find((known) => known === mode()) as string).trim();
      new URL(fresh.visitsUrl as string, consentUrl());
      fresh.texts.forEach(({ language }) => language.trim());
      new RegExp(fresh.previewHosts as string);
      writeJson(`${key}configuration`, fresh);
    } catch {
      known = configuration = last;
      region = last?.region ?? UNKNOWN_REGION;
    }
    // What website builders serve under such a host is a preview (spec §3.2 row 1).
    const preview = new RegExp(configuration?.previewHosts ?? '^$').test(domain);
    const { tier, features } = (preview ? configuration?.preview : configuration) ?? {
      tier: 'lite',
      features: {},
    };
    const meta = Object.freeze({
      tier,
      region,
      isEu: isEu(),
      domain,
      projectId,
      configHash: configuration?.configHash ?? '',
      features: Object.freeze(features),
    });
    // Does nothing where the page has a global of this name that it does not let go.
    Reflect.defineProperty(window, META_GLOBAL, { value: meta });
    whenReady(meta);
    ofDocument('dispatchEvent')(new CustomEvent(`${META_GLOBAL}:ready`, { detail: meta, bubbles: true }));
    queue.flush();
    if (!configuration) return;
    const { banner, honorGlobalPrivacyControl, visitsUrl } = configuration;
    const count = (): void => {
      if (visitsUrl) navigator.sendBeacon?.(new URL(visitsUrl, base), JSON.stringify({ region }));
    };
    const current = choice();
    const holds = mode();
    if (current) keep(current);
    else if (
      (navigator as { globalPrivacyControl?: boolean }).globalPrivacyControl &&
      honorGlobalPrivacyControl &&
      (!banner?.enabled || holds === 'opt_out')
    ) {
      void submit({ action: 'opt_out', gpc: true, surface: 'signal' });
      if (banner?.enabled) keeper.show(consent, 'signal');
    } else {
      // A refusal holds until the visitor decides again; a grant no longer holds where nothing is
      // without an answer.
      const last = stored();
      if (holds !== 'opt_in') keep(last ?? EVERYTHING);
      else if (last) keep({} as Choice);
      // Our banner counts the visit itself, as it alone knows the visitor's decision.
      if (banner?.enabled && holds !== 'none') return keeper.show(consent, 'banner', count);
    }
    count();
  };
  // A stored configuration that cannot be read: nothing is granted.
  load().catch(() => {});
};

try {
  start();
} catch {
  // Nothing that goes wrong here may stop the page's own scripts.
}
