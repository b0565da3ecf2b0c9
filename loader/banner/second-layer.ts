/** What our second layer has beside the library's: policy, services with their cookies, and the consent itself. */
import { pristineDocument } from '../pristine-document';
import { clearCookies } from './clear-cookies';
import type { Shown } from './show-banner';
import { forget, visitorKey } from './visitor-key';

function element<K extends keyof HTMLElementTagNameMap>(
  name: K,
  className: string,
  ...content: (Node | string)[]
): HTMLElementTagNameMap[K] {
  const made = pristineDocument('createElement')(name);
  made.className = className;
  made.append(...content);
  return made;
}

function link(address: string, text: string): HTMLAnchorElement {
  const made = element('a', 'cc__link', text);
  made.href = address;
  made.target = '_blank';
  made.rel = 'noopener';
  return made;
}

/** The site's own policy, behind the description. */
export function addPolicyLink(description: Element | null, { configuration, text }: Shown): void {
  if (configuration.policyUrl) {
    description?.append(' ', link(configuration.policyUrl, text.labels.policyLink ?? ''));
  }
}

/** Who decides about the records, and how to reach them: behind the description. */
export function addController(description: Element | null, { configuration, text }: Shown): void {
  const { name, contact } = configuration.controller ?? {};
  if (!name && !contact) return;
  const address = /^https?:/.test(contact ?? '')
    ? contact
    : /^\S+@\S+$/.test(contact ?? '') && `mailto:${contact}`;
  description?.append(
    element(
      'span',
      'pm__controller',
      [text.labels.controller, name].filter(Boolean).join(': '),
      name && contact ? ', ' : contact ? ': ' : '',
      address ? link(address, contact ?? '') : (contact ?? ''),
    ),
  );
}

/** Each category's services, below its description. They are written in the default language. */
export function addServices(modal: HTMLElement, { configuration, text }: Shown): void {
  const { services, defaultLanguage } = configuration;
  for (const category of ['necessary', ...configuration.categories]) {
    const own = services.filter((service) => service.category === category);
    const section = modal.querySelector(`input[value="${category}"]`)?.closest('.pm__section--toggle');
    if (own.length === 0 || !section) continue;
    const list = element('ul', 'pm__services');
    list.lang = defaultLanguage;
    for (const { name, provider, policyUrl, cookies } of own) {
      const item = element(
        'li',
        '',
        element('b', '', name),
        ' – ',
        policyUrl ? link(policyUrl, provider) : provider,
      );
      for (const cookie of cookies) {
        item.append(
          element('p', '', element('code', '', cookie.name), ` ${cookie.duration}: ${cookie.purpose}`),
        );
      }
      list.append(item);
    }
    const summary = element('summary', '', text.labels.services ?? '');
    section.querySelector('.pm__section-desc-wrapper')?.append(element('details', '', summary, list));
  }
}

/** Who decides shall see what about, without a click for each. */
export function expandAll(modal: HTMLElement): void {
  for (const section of modal.querySelectorAll('.pm__section--expandable')) {
    section.classList.add('is-expanded');
    section.querySelector('.pm__section-title')?.setAttribute('aria-expanded', 'true');
    section.querySelector('.pm__section-desc-wrapper')?.setAttribute('aria-hidden', 'false');
  }
}

/** Number of the consent, its receipt, its withdrawal and its end; nothing where there is none. */
export function consentPanel(shown: Shown, close: () => void): Node[] {
  const { consent, configuration, text, base, isPreview } = shown;
  const { choice } = consent;
  if (!choice?.id) return [];
  const { labels } = text;
  const { projectId } = configuration;
  const key = isPreview ? null : visitorKey(projectId);
  const number = element('code', '', choice.id);
  const status = element('p', 'pm__section-desc');
  status.setAttribute('role', 'status');
  /** Asks the service with the visitor's key; null where it is away. */
  const ask = (what: string, of: object): Promise<Response | null> =>
    fetch(new URL(`../../visitor/${what}`, new URL(configuration.consentUrl, base)), {
      method: 'POST',
      credentials: 'omit',
      // As text, so that no browser asks first whether it may send.
      body: JSON.stringify({ projectId, visitorKey: key, ...of }),
    }).catch(() => null);
  const button = (label: string | undefined, act: (event: Event) => unknown): HTMLButtonElement => {
    const made = element('button', 'pm__act', label ?? '');
    made.type = 'button';
    made.addEventListener('click', act);
    return made;
  };
  const copy = (): void => {
    // Without the clipboard (a page without HTTPS), it can be copied by hand.
    getSelection()?.selectAllChildren(number);
    void navigator.clipboard?.writeText(choice.id as string).catch(() => {});
  };
  /** What the browser knows of the choice, where the service cannot make a receipt. */
  const summary = (): object => {
    const { configHash, policyVersion } = configuration;
    const { prompt: _, at, ...chosen } = choice;
    return {
      projectId,
      hostname: location.hostname,
      ...chosen,
      chosenAt: at === undefined ? null : new Date(at).toISOString(),
      policyVersion,
      configHash,
    };
  };
  const download = async (): Promise<void> => {
    const answer = key && (await ask('receipts', { consentId: choice.id }));
    const receipt = answer && answer.ok ? ((await answer.json()) as object) : summary();
    const file = element('a', '');
    file.href = URL.createObjectURL(
      new Blob([JSON.stringify(receipt, null, 2)], { type: 'application/json' }),
    );
    file.download = `consent-${choice.id}.json`;
    file.click();
    URL.revokeObjectURL(file.href);
  };
  const withdraw = ({ currentTarget }: Event): void => {
    // The second click of two comes while all of it fades away.
    (currentTarget as HTMLButtonElement).disabled = true;
    shown.decide({ action: 'withdraw', surface: 'link' });
    close();
  };
  const erase = async (): Promise<void> => {
    if (isPreview || !confirm(labels.eraseQuestion)) return;
    const answer = await ask('erasures', {});
    // Where nothing is stored any more, nothing is left to be erased.
    if (!answer || !(answer.ok || answer.status === 404)) {
      status.textContent = labels.failed ?? '';
      return;
    }
    forget(projectId);
    clearCookies(configuration.services, () => false);
    // Scripts that the visitor allowed run until the page is left; the next page asks again.
    location.reload();
  };
  return [
    element(
      'div',
      'pm__consent',
      element('p', 'pm__section-desc', `${labels.consentId ?? ''}: `, number),
      button(labels.copy, copy),
      button(labels.download, download),
      button(labels.withdraw, withdraw),
      ...(key || isPreview ? [button(labels.erase, erase)] : []),
      status,
    ),
  ];
}
