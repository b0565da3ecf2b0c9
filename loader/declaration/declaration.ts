/**
 * Shows the published services and cookies in elements with `data-service-declaration`, as tables without styles, in the
 * language that the attribute names or the page has; before them the visitor's own choice, if the page has the loader.
 * Elements with `data-service-choice` get the choice only. Everything is text by construction.
 */
import { pickText } from '../banner/rules';

type Declaration = (typeof DECLARATIONS)[number];

const create = (name: string, text: string, ...children: Node[]): HTMLElement => {
  const element = document.createElement(name);
  element.textContent = text;
  element.append(...children);
  return element;
};

const heading = (name: string, text: string, { words }: Declaration): HTMLElement =>
  Object.assign(create(name, text), { lang: words.language, dir: 'auto' });

const scoped = (header: HTMLElement, scope: string): HTMLElement => {
  header.setAttribute('scope', scope);
  return header;
};

/** Names and words may be in another language than the table. */
const cell = (name: string, text: string, ...children: Node[]): HTMLElement =>
  Object.assign(create(name, text, ...children), { dir: 'auto' });

const row = ({ service, provider, policyUrl, cookie }: Declaration['categories'][number]['rows'][number]) => {
  const link = document.createElement('a');
  link.textContent = provider;
  if (policyUrl !== null) Object.assign(link, { href: policyUrl, rel: 'noopener' });
  const by =
    provider === '' ? cell('td', service) : cell('td', `${service} (`, link, document.createTextNode(')'));
  const name = scoped(cell('th', cookie?.name ?? '–'), 'row');
  return create('tr', '', name, by, cell('td', cookie?.purpose ?? '–'), cell('td', cookie?.duration ?? '–'));
};

const CHOICE_TIME = { dateStyle: 'long', timeStyle: 'short' } as const;

/** The visitor's choice by category and its time, with a button if our banner can change it. */
const ownChoice = (declaration: Declaration): HTMLElement[] => {
  const consent = window.serviceConsent;
  const configuration = consent?.configuration as { banner?: { enabled?: boolean } } | null | undefined;
  if (!consent || !configuration) return [];
  const { words, categories } = declaration;
  const state = (key: string): string => {
    if (key === 'necessary') return words.alwaysOn;
    const category = key as ServiceConsentCategory;
    return (consent.choice ? consent.choice[category] : consent.modes[category] !== 'opt_in')
      ? words.on
      : words.off;
  };
  const items = categories.map(({ key, title }) => create('li', `${title}: ${state(key)}`));
  const button = heading('button', words.change, declaration) as HTMLButtonElement;
  button.type = 'button';
  button.addEventListener('click', () => void consent.open());
  const title = heading('p', words.yourChoice, declaration);
  const at = consent.choice?.at;
  if (at) title.append(` · ${new Date(at).toLocaleString(words.language, CHOICE_TIME)}`);
  const parts = [title, create('ul', '', ...items)];
  return [create('div', '', ...parts, ...(configuration.banner?.enabled ? [button] : []))];
};

const show = (place: HTMLElement, declaration: Declaration): void => {
  const { words, categories } = declaration;
  const tables = categories.map(({ title, description, rows }) => {
    const heads = [words.cookie, words.service, words.purpose, words.duration].map((text) =>
      scoped(heading('th', text, declaration), 'col'),
    );
    const head = create('thead', '', create('tr', '', ...heads));
    const table = create('table', '', create('caption', title), head, create('tbody', '', ...rows.map(row)));
    return create('div', '', create('p', description), table);
  });
  place.lang = declaration.language;
  place.dir = declaration.isRightToLeft ? 'rtl' : 'ltr';
  const shown = tables.length > 0 ? tables : [heading('p', words.none, declaration)];
  place.replaceChildren(...ownChoice(declaration), ...shown);
};

const start = (): void => {
  for (const place of document.querySelectorAll<HTMLElement>(
    '[data-service-declaration],[data-service-choice]',
  )) {
    const { serviceDeclaration, serviceChoice } = place.dataset;
    const wanted = [serviceDeclaration, serviceChoice, document.documentElement.lang, ...navigator.languages];
    const declaration = pickText(
      DECLARATIONS,
      wanted.filter((language): language is string => !!language),
    );
    if (!declaration) continue;
    if (serviceChoice === undefined) show(place, declaration);
    else place.replaceChildren(...ownChoice(declaration));
  }
};

// The choice is known when the loader is ready, and may change.
for (const event of ['serviceMeta:ready', 'serviceConsent:choice']) document.addEventListener(event, start);
if (document.readyState === 'loading') addEventListener('DOMContentLoaded', start);
else start();
