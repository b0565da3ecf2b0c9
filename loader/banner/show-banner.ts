/** The adapter to vanilla-cookieconsent: everything else knows our configuration and our choices alone. */
import * as library from 'vanilla-cookieconsent';
import { pristineDocument } from '../pristine-document';
import { ownGlobal } from '../own-global';
import type { BannerText, Category, Consent, Reason, SiteConfiguration } from '../site';
import { clearCookies } from './clear-cookies';
import { countVisit } from './count-visit';
import { addController, addPolicyLink, addServices, consentPanel, expandAll } from './second-layer';
import { isRightToLeft, pickText, readableServices } from './rules';
import { applyTheme } from './theme';
import { hashForChoice } from './visitor-key';

let hasRun = false;
/** The page asks once; a decision that is changed afterwards is no other visit. */
let chosen: (() => void) | undefined;
const address = (pristineDocument('currentScript') as HTMLScriptElement).src;

/** What is on the screen, and what to do with a decision. */
export interface Shown {
  consent: Consent;
  configuration: SiteConfiguration;
  text: BannerText;
  /** Of the banner's script, to which other addresses are relative. */
  base: string;
  /** Whether it is a preview, which sends and keeps nothing. */
  isPreview: boolean;
  /** Records a decision and clears what it has withdrawn. */
  decide(submission: { action?: string; surface: string } & Partial<Record<Category, boolean>>): void;
}

/**
 * Shows our banner: the first layer where a choice is needed or a signal was honoured, the second for `link`. It sends
 * nothing: the visitor's decision goes to `consent.submit`, so a preview passes one that only keeps it.
 */
export function showBanner(consent: Consent, reason: Reason): void {
  const { mode, choice } = consent;
  if (!consent.configuration) return;
  const configuration = {
    ...consent.configuration,
    services: readableServices(consent.configuration.services),
  };
  const { categories, services, banner } = configuration;
  const pageLanguage = pristineDocument('documentElement').lang;
  const text = pickText(configuration.texts, [
    pageLanguage,
    ...navigator.languages,
    configuration.defaultLanguage,
  ]) as BannerText;
  const { language, labels } = text;
  /** The first layer asks nothing and only informs. */
  const told = reason === 'signal' || mode === 'notice' || categories.length === 0;
  let onSecondLayer = false;
  const isPreview = ownGlobal(CONSENT_GLOBAL) !== consent;
  if (reason === 'banner' && !isPreview) chosen ??= countVisit(configuration, address);
  if (!pristineDocument('body')) {
    // A slow script in the head holds it up.
    requestAnimationFrame(() => showBanner(consent, reason));
    return;
  }
  if (reason === 'link' && !isPreview && pristineDocument('querySelector')('.show--consent #cc-main .cm')) {
    // A visitor who closes the second layer still sees the first.
    library.showPreferences();
    return;
  }

  const shown: Shown = {
    consent,
    configuration,
    text,
    base: address,
    isPreview,
    decide(submission) {
      const send = (keyHash?: string): Promise<object> =>
        consent.submit({ offered: categories, language, visitorKeyHash: keyHash, ...submission });
      // The answer first: what is counted is never in a consent's way.
      void tell(isPreview ? send() : hashForChoice(configuration.projectId).then(send)).then(chosen);
      clearCookies(services, (category) => submission[category as Category] === true);
    },
  };
  let asking = reason === 'banner' && !isPreview;
  const decided = (): void => {
    asking = false;
    // It was recorded as the signal came; the visitor has only read it.
    if (reason === 'signal' && !onSecondLayer) return;
    const flags = Object.fromEntries(categories.map((key) => [key, library.acceptedCategory(key)]));
    const surface = !onSecondLayer ? 'banner' : reason === 'link' ? 'link' : 'preferences';
    shown.decide({ ...flags, surface, ...(told && !onSecondLayer && { action: 'dismiss' }) });
  };
  const describe = (key: Category): { title: string; description: string } =>
    text.categories.find((category) => category.key === key) ??
    pickText(configuration.texts, [configuration.defaultLanguage])?.categories.find(
      (category) => category.key === key,
    ) ?? { title: key, description: '' };

  // Before its first run it would look for a cookie, which a page in a sandbox may not.
  if (hasRun) library.reset(true);
  hasRun = true;
  const ready = library.run({
    cookie: { name: 'choice', useLocalStorage: true },
    autoShow: false,
    autoClearCookies: false,
    manageScriptTags: false,
    hideFromBots: false,
    guiOptions: {
      consentModal: {
        layout: banner?.layout === 'bar' ? 'bar' : 'box',
        position: banner?.layout === 'bar' ? 'bottom' : `bottom ${banner?.position ?? 'left'}`,
        equalWeightButtons: true,
      },
      preferencesModal: { layout: 'box', equalWeightButtons: true },
    },
    categories: {
      necessary: { enabled: true, readOnly: true },
      ...Object.fromEntries(
        categories.map((key) => [key, { enabled: choice ? choice[key] : mode !== 'opt_in' && !told }]),
      ),
    },
    onModalShow: ({ modalName }) => void (onSecondLayer = modalName === 'preferencesModal'),
    onModalHide: () => void (onSecondLayer = false),
    onFirstConsent: decided,
    onModalReady: ({ modalName, modal }) => {
      // Without it nothing is to be seen, and the library would give it after 100 ms only.
      modal.parentElement?.classList.add('cc--anim');
      if (modalName === 'consentModal') {
        // The page stays usable, and Tab continues there.
        modal.removeAttribute('aria-modal');
        modal.addEventListener('keydown', (event) => event.key === 'Tab' && event.stopPropagation());
        addPolicyLink(modal.querySelector('.cm__desc'), shown);
        return;
      }
      addPolicyLink(modal.querySelector('.pm__section-desc'), shown);
      addController(modal.querySelector('.pm__section-desc'), shown);
      addServices(modal, shown);
      expandAll(modal);
      modal.querySelector('.pm__body')?.append(...consentPanel(shown, close));
    },
    language: {
      default: language,
      translations: {
        [language]: {
          consentModal: {
            title: text.title,
            description: reason === 'signal' ? labels.signalHonoured : text.description,
            ...(told
              ? { [reason === 'signal' ? 'acceptNecessaryBtn' : 'acceptAllBtn']: labels.acknowledge }
              : { acceptAllBtn: text.acceptAll, acceptNecessaryBtn: text.rejectAll }),
            showPreferencesBtn: text.choose,
          },
          preferencesModal: {
            title: text.title,
            acceptAllBtn: text.acceptAll,
            acceptNecessaryBtn: text.rejectAll,
            savePreferencesBtn: text.save,
            closeIconLabel: labels.close,
            sections: [
              { description: text.description },
              {
                title: labels.necessaryTitle,
                description: labels.necessaryDescription,
                linkedCategory: 'necessary',
              },
              ...categories.map((key) => ({ ...describe(key), linkedCategory: key })),
            ],
          },
        },
      },
    },
  });
  const close = (): void => {
    library.hidePreferences();
    library.hide();
  };
  /** Another tab may have answered, or a later page before this one came back out of the browser's memory. */
  const stopAsking = (): void => {
    if (asking && consent.choice) close();
  };
  addEventListener('storage', stopAsking);
  addEventListener('pageshow', stopAsking);
  void ready.then(() => {
    if (reason === 'link') library.showPreferences();
    else library.show(true);
    const main = pristineDocument('querySelector')<HTMLElement>('#cc-main');
    if (!main) return;
    main.lang = language;
    main.dir = isRightToLeft(language) ? 'rtl' : 'ltr';
    main.classList.toggle('cc--rtl', main.dir === 'rtl');
    if (banner) applyTheme(main, banner);
    const description = main.querySelector<HTMLElement>('.cm__desc');
    // What has to be scrolled must be reached by the keyboard, in every browser.
    if (description && description.scrollHeight > description.clientHeight) description.tabIndex = 0;
  });
}

/** Lets the page hear what became of a decision that was made here. */
async function tell(answer: Promise<object>): Promise<void> {
  const startedMs = performance.now();
  const detail = { ...(await answer), tookMs: Math.round(performance.now() - startedMs) };
  pristineDocument('dispatchEvent')(new CustomEvent(`${CONSENT_GLOBAL}:choice`, { detail, bubbles: true }));
}
