/** What a choice does to the page where our own banner is used: waiting scripts and frames, the link, the banner. */
import type { Choice } from './google-consent';
import { ofDocument } from './own-document';
import { ownGlobal } from './own-global';
import type { BannerText, Consent, Reason, ShowBanner, SiteConfiguration } from './site';

interface Policy {
  createScript(text: string): string;
  createScriptURL(url: string): string;
}

export interface Keeper {
  /** What is granted from now on. */
  apply(site: SiteConfiguration | null, granted: Choice): void;
  /** Shows our banner, which is loaded until it is there once; `failed` is called where it did not come. */
  show(consent: Consent, reason: Reason, failed?: () => void): void;
}

/** Attributes of a blocked script that its copy does not get; handlers would need a separate policy. */
const NOT_COPIED = /^(type|src|n?on)/;
/** The rest is the browser's own button, which everybody can read. */
const LINK_STYLE = 'position:fixed;padding:8px;bottom:8px;left:8px;z-index:9';

export const keeperOf = ({ nonce, src: base }: HTMLScriptElement, open: () => void): Keeper => {
  let link: HTMLElement | undefined;
  let banner: Promise<ShowBanner> | undefined;
  let policy: Policy | undefined;
  /** Of the last `apply`. */
  let site: SiteConfiguration | null;
  let granted: Choice;

  /** A script that runs when it is put into the page; `address` and `text` are the page's own, or ours. */
  const scriptOf = (address: string | undefined, text: string): HTMLScriptElement => {
    const same = (given: string): string => given;
    const rules = { createScript: same, createScriptURL: same };
    const types = ownGlobal('trustedTypes') as
      { createPolicy(name: string, rules: Policy): Policy } | undefined;
    policy ??= types ? types.createPolicy(CONSENT_GLOBAL, rules) : rules;
    const script = ofDocument('createElement')('script');
    script.nonce = nonce;
    script.async = false;
    if (address) script.src = policy.createScriptURL(address);
    else script.text = policy.createScript(text);
    return script;
  };

  const run = (): void => {
    try {
      if (!site?.banner?.enabled) return;
      for (const element of ofDocument('querySelectorAll')<HTMLScriptElement>('[data-category]')) {
        const { category, src, type } = element.dataset;
        if (!granted[category as keyof Choice]) continue;
        if (element.localName !== 'script') {
          // Once: to set it again would load it again.
          if (src) element.src = src;
          delete element.dataset.src;
        }
        // Under a nonce policy, markup injected into the page must not become executable by getting a nonce.
        else if (element.type === 'text/plain' && element.nonce === nonce) {
          const copy = scriptOf(src, element.text);
          for (const { name, value } of element.attributes)
            if (!NOT_COPIED.test(name)) copy.setAttribute(name, value);
          if (type) copy.type = type;
          element.replaceWith(copy);
        }
      }
      if (link || !site.banner.link) return;
      const words = [
        ofDocument('documentElement').lang,
        ...navigator.languages,
        site.defaultLanguage,
      ].flatMap((tag) =>
        (site as SiteConfiguration).texts.filter(
          ({ language }) => language.split('-')[0] === tag.split('-')[0],
        ),
      )[0] as BannerText;
      const button = ofDocument('createElement')('button');
      button.style.cssText = LINK_STYLE;
      button.lang = words.language;
      button.textContent = words.labels.settingsLink as string;
      button.onclick = open;
      // Without a body yet this throws, and is done when the page is there.
      link = ofDocument('body').appendChild(button);
    } catch {
      // A policy of the page that forbids it.
    }
  };
  // Again when the whole page has been parsed, with the grants at that time.
  addEventListener('DOMContentLoaded', run);

  return {
    apply(nowSite, nowGranted) {
      site = nowSite;
      granted = nowGranted;
      run();
    },
    show(consent, reason, failed) {
      const name = consent.configuration?.bannerScript;
      if (!name) return;
      banner ??= new Promise((resolve, reject) => {
        const script = scriptOf(new URL(name, base).href, '') as HTMLScriptElement & { show: ShowBanner };
        script.onload = () => resolve(script.show);
        script.onerror = reject;
        ofDocument('head').appendChild(script);
      });
      // The page may block the banner's file, or the network failed: the next call loads it again.
      banner
        .then((show) => show(consent, reason))
        .catch(() => {
          banner = undefined;
          failed?.();
        });
    },
  };
};
