/** The categories that the visitor may switch, each with its declared services and cookies. */
import type { Category, SiteService } from '../site';
import { element, link } from './element';
import { describeCategory, isGranted, type Prompt } from './prompt';
import { serviceFacts, translationIn } from './rules';

export interface CategoryList {
  list: HTMLElement;
  /** The categories whose switch is on. */
  granted(): Category[];
}

export function categoryList(prompt: Prompt): CategoryList {
  const switches = prompt.configuration.categories.map((key): [Category, HTMLInputElement] => [
    key,
    categorySwitch(key, isGranted(prompt, key)),
  ]);
  const list = element(
    'ul',
    'categories',
    ...necessaryItem(prompt),
    ...switches.map(([key, box]) => categoryItem(prompt, box, describeCategory(prompt, key))),
  );
  return { list, granted: () => switches.filter(([, box]) => box.checked).map(([key]) => key) };
}

/** Always on; absent without its texts. */
function necessaryItem(prompt: Prompt): Node[] {
  const { necessaryTitle: title, necessaryDescription: description = '' } = prompt.text.labels;
  if (!title) return [];
  const box = categorySwitch('necessary', true);
  box.disabled = true;
  return [categoryItem(prompt, box, { title, description })];
}

function categorySwitch(key: SiteService['category'], isOn: boolean): HTMLInputElement {
  const box = element('input', 'switch');
  box.type = 'checkbox';
  box.setAttribute('role', 'switch');
  box.value = key;
  box.id = `switch-${key}`;
  box.checked = isOn;
  return box;
}

/** Title, switch and one line; the line opens the services, if there are any. */
function categoryItem(
  prompt: Prompt,
  box: HTMLInputElement,
  { title, description }: { title: string; description: string },
): HTMLElement {
  const label = element('label', '', title);
  label.htmlFor = box.id;
  // Without their texts, services are not listed.
  const services = prompt.configuration.services.filter(
    ({ category, name }) => category === box.value && name,
  );
  const facts = serviceFacts(services, prompt.text);
  const about = element(facts ? 'summary' : 'p', 'text', description, facts && ` ${facts}`);
  about.id = `about-${box.value}`;
  box.setAttribute('aria-describedby', about.id);
  return element(
    'li',
    'category',
    element('div', '', label, facts ? element('details', '', about, serviceList(prompt, services)) : about),
    box,
  );
}

function serviceList(prompt: Prompt, services: SiteService[]): HTMLElement {
  const list = element('ul', 'services', ...services.map((service) => serviceItem(prompt, service)));
  list.setAttribute('aria-label', prompt.text.labels.services ?? '');
  return list;
}

function serviceItem(prompt: Prompt, service: SiteService): HTMLElement {
  const { language } = prompt.text;
  const { name, provider, policyUrl, cookies } = service;
  return element(
    'li',
    '',
    translated(prompt, 'b', name, translationIn(service, language)?.name),
    ' – ',
    policyUrl ? link(policyUrl, provider) : provider,
    ...cookies.map((cookie) => {
      const words = translationIn(cookie, language);
      return element(
        'p',
        '',
        element('code', '', cookie.name),
        ' ',
        translated(prompt, 'span', cookie.duration, words?.duration),
        ': ',
        translated(prompt, 'span', cookie.purpose, words?.purpose),
      );
    }),
  );
}

/** The translation, or the original and the language that it is written in. */
function translated(
  { configuration }: Prompt,
  name: 'b' | 'span',
  original: string,
  translation: string | undefined,
): HTMLElement {
  const created = element(name, '', translation || original);
  if (!translation) created.lang = configuration.defaultLanguage;
  return created;
}
