/** What a choice does to the page: Google's tags, and with our own banner the waiting scripts and frames. */
import { currentChoice } from './choice';
import { lastGood } from './configuration';
import { type Choice, googleConsent } from './google-consent';
import { loaderScript } from './page';
import { pristineDocument } from './pristine-document';
import type { PageWork } from './site';
import { trustedScript } from './trusted-script';

/** Attributes of a blocked script that its copy does not get; handlers would need a separate policy. */
const NOT_COPIED = /^(type|src|n?on)/;

let granted: Choice | undefined;
let updateGoogle: (choice: Choice) => void;
let pageWork: PageWork | undefined;

/** Sets Google's defaults. */
export const startApplier = (): void => {
  updateGoogle = googleConsent(currentChoice());
  // Again when the whole page has been parsed, with the grants at that time.
  addEventListener('DOMContentLoaded', release);
};

/** From now on, `choice` is granted. */
export const applyChoice = (choice: Choice): void => {
  updateGoogle((granted = choice));
  release();
  pageWork?.apply(granted);
};

/** `work` gets what is granted, now and at each choice. */
export const setPageWork = (work?: PageWork): void => (pageWork = work)?.apply(granted);

/** Runs what was waiting for a category that is granted. */
export const release = (): void => {
  try {
    if (!granted || !lastGood?.banner?.enabled) return;
    for (const element of pristineDocument('querySelectorAll')<HTMLScriptElement>('[data-category]')) {
      const { category, src, type } = element.dataset;
      if (!granted[category as keyof Choice]) continue;
      if (element.localName !== 'script') {
        // Once: setting it again would load it again.
        if (src) element.src = src;
        delete element.dataset.src;
      }
      // Under a nonce policy, markup injected into the page must not become executable by getting a nonce.
      else if (element.type === 'text/plain' && element.nonce === loaderScript.nonce) {
        const copy = trustedScript(src, element.text);
        for (const { name, value } of element.attributes)
          if (!NOT_COPIED.test(name)) copy.setAttribute(name, value);
        if (type) copy.type = type;
        element.replaceWith(copy);
      }
    }
  } catch {
    // The page's policy forbids it.
  }
};
