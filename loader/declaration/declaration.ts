/**
 * Shows the published services and cookies in elements with `data-service-declaration`, as tables without styles, in the
 * language that the attribute names or the page has. Everything is text by construction.
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
  Object.assign(create(name, text), { lang: words.language });

const scoped = (cell: HTMLElement, scope: string): HTMLElement => {
  cell.setAttribute('scope', scope);
  return cell;
};

const row = ({ service, provider, policyUrl, cookie }: Declaration['categories'][number]['rows'][number]) => {
  const link = document.createElement('a');
  link.textContent = provider;
  if (policyUrl !== null) Object.assign(link, { href: policyUrl, rel: 'noopener' });
  const by = create('td', `${service} (`, link, document.createTextNode(')'));
  const name = scoped(create('th', cookie?.name ?? '–'), 'row');
  return create(
    'tr',
    '',
    name,
    by,
    create('td', cookie?.purpose ?? '–'),
    create('td', cookie?.duration ?? '–'),
  );
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
  place.replaceChildren(...(tables.length > 0 ? tables : [heading('p', words.none, declaration)]));
};

const start = (): void => {
  for (const place of document.querySelectorAll<HTMLElement>('[data-service-declaration]')) {
    const wanted = [place.dataset.serviceDeclaration, document.documentElement.lang, ...navigator.languages];
    const declaration = pickText(
      DECLARATIONS,
      wanted.filter((language): language is string => !!language),
    );
    if (declaration) show(place, declaration);
  }
};

if (document.readyState === 'loading') addEventListener('DOMContentLoaded', start);
else start();
