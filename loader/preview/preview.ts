/**
 * Shows a configuration in the built banner, in a frame of the dashboard that cannot reach the session: it only exchanges
 * messages. Nothing is sent to the service, and nothing is stored.
 */
import { modesOf, resolveRule } from '../mode';
import {
  BANNER_HOST_ID,
  type Category,
  type Consent,
  type ShowBanner,
  type SiteConfiguration,
  type StoredChoice,
  type Submission,
} from '../site';

/** The dashboard's request. */
interface Scene {
  configuration: SiteConfiguration;
  /** As an edge reports it: `DE`, `US-CA`, `XX`. */
  region: string;
  language: string;
  dark: boolean;
  /** Whether the visitor's browser sends Global Privacy Control. */
  signal: boolean;
  /** The visitor's modes; absent: by the region's rule. */
  modes?: Record<Category, string>;
  /** The second layer, in place of the first. */
  isSecondLayer: boolean;
  /** The visitor's choice; null: none yet. */
  choice: Omit<StoredChoice, 'at'> | null;
}

const BANNER_NAME = /^banner-[\da-f]{16}\.js$/;
const PROJECT_ID = /^[\da-f-]{36}$/;
const SAMPLE_ID = '00000000-0000-7000-8000-000000000000';

const { nonce } = document.currentScript as HTMLScriptElement;
const dashboard = new URL(location.href).origin;
const report = (message: object): void => parent.postMessage(message, dashboard);
const scripts = new Map<string, Promise<ShowBanner>>();

function loadBanner({ projectId, bannerScript }: SiteConfiguration): Promise<ShowBanner> {
  const name = bannerScript ?? '';
  if (!PROJECT_ID.test(projectId) || !BANNER_NAME.test(name)) return Promise.reject(new Error('No banner.'));
  const known = scripts.get(name);
  if (known) return known;
  const loaded = new Promise<ShowBanner>((resolve, reject) => {
    const script = document.createElement('script') as HTMLScriptElement & { show: ShowBanner };
    script.nonce = nonce;
    script.onload = () => resolve(script.show);
    script.onerror = () => reject(new Error('The banner could not be loaded.'));
    script.src = `/cdn/${projectId}/${name}`;
    document.head.append(script);
  });
  scripts.set(name, loaded);
  return loaded;
}

/** The strictest first. */
const MODES = ['opt_in', 'opt_out', 'notice', 'none'];

function previewConsent(
  { configuration, choice: shown }: Scene,
  { mode, modes }: Required<Pick<Consent, 'mode' | 'modes'>>,
): Consent {
  let choice: StoredChoice | null = shown && { ...shown, at: Date.now() };
  return {
    configuration,
    mode,
    modes,
    get choice() {
      return choice;
    },
    ready: Promise.resolve({}),
    open: () => Promise.resolve(),
    rescan: () => {},
    submit(submission: Submission) {
      const { analytics = false, marketing = false, preferences = false } = submission;
      choice = { analytics, marketing, preferences, id: SAMPLE_ID, at: Date.now() };
      report({ kind: 'chosen' });
      return Promise.resolve({ id: SAMPLE_ID, stored: true, status: 201 });
    },
  };
}

/** Does what the loader does on a page of the site. */
async function showScene(scene: Scene): Promise<void> {
  const { configuration, region, language, dark, signal, isSecondLayer } = scene;
  document.documentElement.lang = language;
  document.documentElement.classList.toggle('dark', dark);
  const isEu = region === UNKNOWN_REGION || (configuration.euRegions ?? []).includes(region.slice(0, 2));
  const rule = resolveRule(configuration, region, () => isEu);
  const modes = scene.modes ?? modesOf(() => rule);
  const mode = MODES.find((known) => Object.values(modes).includes(known)) ?? 'opt_in';
  if (!configuration.banner?.enabled || (mode === 'none' && !isSecondLayer)) {
    document.getElementById(BANNER_HOST_ID)?.remove();
    report({ kind: configuration.banner?.enabled ? 'hidden' : 'own', mode });
    return;
  }
  const isHonored =
    scene.modes !== undefined || (rule.honorGlobalPrivacyControl ?? configuration.honorGlobalPrivacyControl);
  const honoured = signal && isHonored && Object.values(modes).some((each) => each !== 'opt_in');
  // The visitor's system decides where the owner leaves it to it.
  const system = dark ? 'dark' : 'light';
  const theme = configuration.banner.theme === 'auto' ? system : configuration.banner.theme;
  const shown = { ...configuration, banner: { ...configuration.banner, theme } };
  const show = await loadBanner(configuration);
  show(
    previewConsent({ ...scene, configuration: shown }, { mode, modes }),
    isSecondLayer ? 'link' : honoured ? 'signal' : 'banner',
  );
  report({ kind: 'shown', mode, honoured });
}

addEventListener('message', ({ source, data }) => {
  if (source !== parent) return;
  showScene(data as Scene).catch(() => report({ kind: 'failed' }));
});
report({ kind: 'ready' });
