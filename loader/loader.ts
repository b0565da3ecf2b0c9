/**
 * The script on the customer's site (docs/loader.md). It makes one request, for the published configuration,
 * sets the global that tells tier and region, and takes the banner's choices to the service. It never throws
 * into the page, adds no element to it, and works without storage.
 */
import { type Choice, googleConsent } from './google-consent';
import { ownGlobal } from './own-global';
import { isPreviewHost } from './preview-host';
import { ConsentQueue } from './queue';
import { readJson, writeJson } from './storage';
import { uuidV7 } from './uuid';

interface SiteConfiguration {
  tier: string;
  features: object;
  preview: { tier: string; features: object };
  ownPreviewHosts: string[];
  consentUrl: string;
  region: string;
  configHash: string;
  policyVersion: string;
  bannerVersion: string;
  categories: string[];
  defaultMode: string;
  regionRules: { regions: string[]; mode: string }[];
  honorGlobalPrivacyControl: boolean;
}

interface Submission extends Partial<Choice> {
  action?: string;
  /** What this banner let the visitor choose, where that is less than the configuration's categories. */
  offered?: string[];
  [field: string]: unknown;
}

/** After so long the last good configuration is used, or the default. */
const CONFIGURATION_TIMEOUT_MS = 4000;
/** A clock that differs by less is right enough. */
const CLOCK_DIFFERENCE_MIN_MS = 60_000;
/** A country, and none of the words for continents and for nobody knows where. */
const COUNTRY = /^(?!EU|AP|ZZ)[A-Z]{2}$/;
const ALL = ['analytics', 'marketing', 'preferences'] as const;

const page = window as unknown as Record<string, unknown>;

function start(): void {
  // Past the document's named elements: an `<img name="currentScript">` of a comment stands before its own members.
  const script = Reflect.get(Document.prototype, 'currentScript', document) as HTMLScriptElement | null;
  // Loaded twice: the first one has done it all.
  if (ownGlobal(CONSENT_GLOBAL)) return;
  if (!script) {
    // A module is told its address by `import.meta` alone, which a plain script may not even name.
    // oxlint-disable-next-line no-console -- the one who writes the page reads it there
    console.warn(`${META_GLOBAL}: load loader.js without type=module.`);
    return;
  }
  const base = script.src;
  const projectId =
    script.dataset.projectId ?? /([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})\/[^/]*$/i.exec(base)?.[1] ?? '';
  const key = `${META_GLOBAL}:${projectId}:`;
  let configuration: SiteConfiguration | null = null;
  let region = UNKNOWN_REGION;
  let clockAheadMs = 0;
  let choice = readJson<Choice>(`${key}choice`);
  const update = googleConsent(choice);

  /** Where a consent goes is known without the configuration, wherever API and loader share an origin. */
  const consentUrl = (): string =>
    new URL(configuration?.consentUrl || `/v1/projects/${projectId}/consents`, base).href;
  const queue = new ConsentQueue(`${key}queue`, consentUrl);

  const isEu = (code: string): boolean => code === UNKNOWN_REGION || ` ${EU_REGIONS} `.includes(` ${code} `);
  const mode = (): string => {
    const inEu = isEu(region);
    const rule = configuration?.regionRules.find(
      ({ regions }) => regions.includes(region) || (inEu && regions.includes(EU_GROUP)),
    );
    return rule?.mode ?? configuration?.defaultMode ?? 'opt_in';
  };

  const submit = (submission: Submission): Promise<object> => {
    try {
      const { offered, ...given } = submission;
      const flags = {} as Choice;
      for (const category of ALL) flags[category] = given[category] === true;
      const granted = ALL.filter((category) => flags[category]).length;
      // Who may choose two and takes both has accepted everything.
      const known = configuration ?? readJson<SiteConfiguration>(`${key}configuration`);
      const missing = (offered ?? known?.categories ?? ALL).some((category) => given[category] !== true);
      choice = flags;
      update(flags);
      writeJson(`${key}choice`, flags);
      const id = uuidV7(Date.now() - clockAheadMs);
      const context = {
        hostname: location.hostname || undefined,
        policyVersion: configuration?.policyVersion,
        bannerVersion: configuration?.bannerVersion,
        region: configuration ? region : undefined,
      };
      const action = given.action ?? (!granted ? 'reject_all' : missing ? 'custom' : 'accept_all');
      return queue.send(id, JSON.stringify({ ...context, ...given, ...flags, action, id }));
    } catch (error) {
      return Promise.resolve({ id: null, stored: false, error: String(error) });
    }
  };

  let whenReady: (meta: object) => void;
  const ready = new Promise<object>((resolve) => (whenReady = resolve));
  page[CONSENT_GLOBAL] = Object.freeze({
    submit,
    ready,
    /** The published configuration: texts, categories, versions; null before `ready`, and where there is none. */
    get configuration() {
      return configuration;
    },
    /** What the visitor has chosen on this site; null: nothing yet. */
    get choice() {
      return choice && { ...choice };
    },
    /** `opt_in`, `opt_out` or `none`: what holds without a choice. */
    get mode() {
      return mode();
    },
  });

  const finish = (): void => {
    const host = location.hostname;
    const preview = isPreviewHost(host, configuration?.ownPreviewHosts ?? []);
    const { tier, features } = (preview ? configuration?.preview : configuration) ?? {
      tier: 'lite',
      features: {},
    };
    const meta = Object.freeze({
      tier,
      region,
      isEu: isEu(region),
      domain: host,
      projectId,
      configHash: configuration?.configHash ?? '',
      features: Object.freeze({ ...features }),
    });
    try {
      Object.defineProperty(window, META_GLOBAL, { value: meta, enumerable: true });
    } catch {
      // The page has a global of this name that it does not let go.
    }
    whenReady(meta);
    // As above: `document.dispatchEvent` may be somebody's form.
    EventTarget.prototype.dispatchEvent.call(
      document,
      new CustomEvent(`${META_GLOBAL}:ready`, { detail: meta, bubbles: true }),
    );
    const objects = (navigator as { globalPrivacyControl?: boolean }).globalPrivacyControl === true;
    if (!choice && configuration) {
      if (objects && configuration.honorGlobalPrivacyControl) void submit({ action: 'opt_out', gpc: true });
      else if (mode() !== 'opt_in') update({ analytics: true, marketing: true, preferences: true });
    }
    queue.flush();
  };

  const load = async (): Promise<void> => {
    const abort = new AbortController();
    const timer = setTimeout(() => abort.abort(), CONFIGURATION_TIMEOUT_MS);
    try {
      const response = await fetch(new URL('config.json', base).href, {
        // Asks anew each time, and costs a 304 where nothing has changed.
        cache: 'no-cache',
        credentials: 'omit',
        signal: abort.signal,
      });
      if (!response.ok) throw 0;
      configuration = (await response.json()) as SiteConfiguration;
      const told = (response.headers.get(REGION_HEADER) ?? '').toUpperCase();
      region = COUNTRY.test(told) ? told : configuration.region;
      const aheadMs = Date.now() - Date.parse(response.headers.get('Date') ?? '');
      if (Math.abs(aheadMs) > CLOCK_DIFFERENCE_MIN_MS) clockAheadMs = aheadMs;
      configuration.region = region;
      writeJson(`${key}configuration`, configuration);
    } catch {
      configuration = readJson(`${key}configuration`);
      region = configuration?.region ?? region;
    }
    clearTimeout(timer);
  };
  load().then(finish, finish);
}

try {
  start();
} catch {
  // Nothing that goes wrong here may stop the page's own scripts.
}
