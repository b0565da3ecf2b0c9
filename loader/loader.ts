/**
 * The script on the customer's site (docs/loader.md). It makes one request, for the published configuration,
 * sets the global that tells tier and region, and takes the banner's choices to the service. Where the configuration
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
/** The mean month of the Gregorian calendar. */
const MONTH_MS = 2_629_746_000;
/** A country, perhaps with a subdivision, and none of the words for continents and for nobody knows where. */
const REGION = /^(?!EU|AP|ZZ)[A-Z]{2}(-\w+)?$/;
const ALL = ['analytics', 'marketing', 'preferences'] as const;
const EVERYTHING: Choice = { analytics: true, marketing: true, preferences: true };

const start = (): void => {
  const script = ofDocument('currentScript') as HTMLScriptElement | null;
  // Loaded twice: the first one has done it all.
  if (ownGlobal(CONSENT_GLOBAL)) return;
  if (!script) {
    // A module is told its address by `import.meta` alone, which a plain script may not even name.
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
  /** What a choice answers; another one has to be asked for anew. Who was only told has agreed to nothing elsewhere. */
  const question = (action?: string): string =>
    [known?.policyVersion, ...(known?.categories ?? []), ...(action === 'dismiss' ? [mode()] : [])]
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
      for (const category of ALL) flags[category] = given[category] === true;
      const granted = ALL.some((category) => flags[category]);
      // Who may choose two and takes both has accepted everything.
      const missing = (offered ?? known?.categories ?? ALL).some((category) => given[category] !== true);
      const id = uuidV7(Date.now() - clockAheadMs);
      const { policyVersion, bannerVersion, configHash, region } = configuration ?? {};
      const context = {
        hostname: domain || undefined,
        policyVersion,
        bannerVersion,
        configHash,
        region,
        surface: 'api',
      };
      const action = given.action ?? (!granted ? 'reject_all' : missing ? 'custom' : 'accept_all');
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

  const finish = (): void => {
    known = configuration;
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
    if (configuration) settle(configuration);
    queue.flush();
  };

  /** What holds now that the configuration is there, and whether the visitor is asked. */
  const settle = ({ banner, honorGlobalPrivacyControl, visitsUrl }: SiteConfiguration): void => {
    const own = banner?.enabled;
    const count = (): void => {
      if (visitsUrl) navigator.sendBeacon?.(new URL(visitsUrl, base), JSON.stringify({ region }));
    };
    const holds = mode();
    const current = choice();
    const objects = (navigator as { globalPrivacyControl?: boolean }).globalPrivacyControl === true;
    if (current) keep(current);
    else if (objects && honorGlobalPrivacyControl && (!own || holds === 'opt_out')) {
      void submit({ action: 'opt_out', gpc: true, surface: 'signal' });
      if (own) keeper.show(consent, 'signal');
    } else {
      // What was refused stays refused until it is answered anew; what was granted no longer holds where nothing is
      // without an answer.
      const last = stored();
      if (holds !== 'opt_in') keep(last ?? EVERYTHING);
      else if (last) keep({} as Choice);
      if (own && holds !== 'none') {
        // Counts the visit itself, as it alone knows what becomes of it.
        keeper.show(consent, 'banner', count);
        return;
      }
    }
    count();
  };

  const load = async (): Promise<void> => {
    const abort = new AbortController();
    // After the answer it aborts nothing.
    setTimeout(() => abort.abort(), CONFIGURATION_TIMEOUT_MS);
    try {
      const response = await fetch(new URL('config.json', base), {
        // Asks anew each time, and costs a 304 where nothing has changed.
        cache: 'no-cache',
        credentials: 'omit',
        signal: abort.signal,
      });
      if (!response.ok) throw 0;
      const fresh = (configuration = (await response.json()) as SiteConfiguration);
      const told = (response.headers.get(REGION_HEADER) ?? '').toUpperCase();
      fresh.region = region = REGION.test(told) ? told : fresh.region;
      const aheadMs = Date.now() - Date.parse(response.headers.get('Date') ?? '');
      if (Math.abs(aheadMs) > CLOCK_DIFFERENCE_MIN_MS) clockAheadMs = aheadMs;
      writeJson(`${key}configuration`, fresh);
    } catch {
      configuration = known;
      region = known?.region ?? region;
    }
    finish();
  };
  void load();
};

try {
  start();
} catch {
  // Nothing that goes wrong here may stop the page's own scripts.
}
