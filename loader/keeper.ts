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
  /** Shows our banner, which is loaded at the first time. */
  show(consent: Consent, reason: Reason): void;
}

/** Attributes of a waiting script that its copy does not get; handlers would need a policy of their own. */
const NOT_COPIED = /^(type|src|on)/;
/** The rest is the browser's own button, which everybody can read. */
const LINK_STYLE = 'position:fixed;bottom:8px;left:8px;z-index:99;padding:8px';

export function keeperOf({ nonce, src: base }: HTMLScriptElement, open: () => void): Keeper {
  let link: HTMLElement | undefined;
  let banner: Promise<ShowBanner> | undefined;
  let policy: Policy | undefined;
  let waiting: (() => void) | undefined;

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

  const release = ({ banner: settings, texts }: SiteConfiguration, granted: Choice): void => {
    for (const element of ofDocument('querySelectorAll')<HTMLScriptElement>('[data-category]')) {
      const { category, src, type } = element.dataset;
      if (!granted[category as keyof Choice]) continue;
      if (element.localName !== 'script') element.src = src ?? '';
      // Under a policy of nonces, what somebody has written into the page must not run for want of one.
      else if (element.type === 'text/plain' && element.nonce === nonce) {
        const copy = scriptOf(src, element.text);
        for (const { name, value } of element.attributes)
          if (!NOT_COPIED.test(name)) copy.setAttribute(name, value);
        if (type) copy.type = type;
        element.replaceWith(copy);
      }
    }
    const body = ofDocument('body') as HTMLElement | null;
    if (link || !body || !settings?.link) return;
    const { lang } = ofDocument('documentElement');
    const words = texts.find(({ language }) => language.split('-')[0] === lang.split('-')[0]) ?? texts[0];
    link = ofDocument('createElement')('button');
    link.style.cssText = LINK_STYLE;
    link.textContent = (words as BannerText).labels.settingsLink as string;
    link.onclick = open;
    body.appendChild(link);
  };

  return {
    apply(site, granted) {
      if (!site?.banner?.enabled) return;
      // Once more when the whole page is there, with what is granted then.
      if (!waiting) addEventListener('DOMContentLoaded', () => waiting?.());
      waiting = () => {
        try {
          release(site, granted);
        } catch {
          // A policy of the page that forbids it.
        }
      };
      waiting();
    },
    show(consent, reason) {
      const name = consent.configuration?.bannerScript;
      if (!name) return;
      banner ??= new Promise((resolve) => {
        const script = scriptOf(new URL(name, base).href, '') as HTMLScriptElement & { show: ShowBanner };
        script.onload = () => resolve(script.show);
        ofDocument('head').appendChild(script);
      });
      // A page that does not let it load goes without.
      banner.then((show) => show(consent, reason)).catch(() => {});
    },
  };
}
