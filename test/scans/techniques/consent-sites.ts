import { type FarmAddresses, type Route, text } from './technique.js';

/** With our banner, whose choices change nothing but one cookie. */
export const IGNORING = 'ignoring.farm.example';
/** Its banner asks again on every page. */
export const RETURNING = 'returning.farm.example';

/** A finding that the scan of a consent site must have, by `kind name`. */
export interface ConsentTechnique {
  name: string;
  found: string;
  finding: string;
}

/** Techniques of the site with our banner. */
export const CONSENT_TECHNIQUES: ConsentTechnique[] = [
  {
    name: 'Storage before consent',
    found: 'finding `before_consent`',
    finding: 'before_consent _ga',
  },
  {
    name: 'Refusal without effect',
    found: 'finding `after_refusal`',
    finding: 'after_refusal _ga',
  },
  {
    name: 'Withdrawal without effect',
    found: 'finding `after_withdrawal`',
    finding: 'after_withdrawal _ga',
  },
  {
    name: 'Global Privacy Control is ignored',
    found: 'finding `ignores_gpc`',
    finding: 'ignores_gpc _ga',
  },
];

export const CONSENT_HOSTS: Record<string, Record<string, Route>> = {
  [IGNORING]: {
    '/': (_request, response, farm) => text(response, 'text/html', ignoringPage(farm)),
    '/tracker.js': (_request, response) =>
      text(
        response,
        'text/javascript',
        `document.cookie = '_ga=GA1.1.1.' + Math.random() + '; max-age=63072000';
        document.addEventListener('serviceConsent:choice', () => {
          if (serviceConsent.choice.marketing) document.cookie = '_fbp=fb.1.' + Math.random() + '; max-age=7776000';
        });`,
      ),
  },
  [RETURNING]: {
    '/': (_request, response, farm) => text(response, 'text/html', returningPage(farm)),
    '*': (_request, response) => text(response, 'text/javascript', ''),
  },
};

function ignoringPage({ loaderTag }: FarmAddresses): string {
  return `<!doctype html><html lang="en"><head>${loaderTag}<script src="/tracker.js"></script></head><body>Shop</body></html>`;
}

function returningPage({ loaderTag }: FarmAddresses): string {
  // A loader of the site's own address, which shows no banner.
  return `<!doctype html><html lang="en"><head>${loaderTag.replace(/http:..[^/]+/, '')}</head><body>
    <p>Shop</p><div role="dialog" class="cookie-banner" style="position: fixed; bottom: 0">
      <p>We use cookies.</p><button onclick="this.parentNode.remove()">Accept all</button>
      <button onclick="this.parentNode.remove()">Reject all</button>
    </div></body></html>`;
}
