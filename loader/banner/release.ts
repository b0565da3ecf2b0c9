/** Scripts and frames that wait for a category. */
import { pristineDocument } from '../pristine-document';
import type { Category, Choice, TrustedScript } from '../site';
import { bannerNonce } from './address';

const WAITING = BY_SERVICE ? '[data-category],[data-service]' : '[data-category]';
/** Attributes of a blocked script that its copy does not get; handlers would need a separate policy. */
const NOT_COPIED = /^(type|src|n?on)/;

/** Runs the blocked scripts of a granted category or, if visitors choose by service, of a granted service. */
export function release(granted: Choice, trustedScript: TrustedScript): void {
  try {
    for (const element of pristineDocument('querySelectorAll')<HTMLScriptElement>(WAITING)) {
      const { category, service, src, type } = element.dataset;
      if (!(BY_SERVICE && service ? granted.services?.[service] : granted[category as Category])) continue;
      if (element.localName !== 'script') {
        // Once: setting it again would load it again.
        if (src) element.src = src;
        delete element.dataset['src'];
      }
      // Under a nonce policy, markup injected into the page must not become executable by getting a nonce.
      else if (element.type === 'text/plain' && element.nonce === bannerNonce) {
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
}
