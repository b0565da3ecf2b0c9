/** The categories that the visitor may switch, each with its declared services and cookies. */
import type { Category, SiteService } from '../site';
import { element, link } from './element';
import { describeCategory, isGranted, type Prompt } from './prompt';

export interface CategoryList {
  list: HTMLElement;
  /** The categories whose switch is on. */
  granted(): Category[];
}

export function categoryList(prompt: Prompt): CategoryList {
  const { configuration, text } = prompt;
  const { labels } = text;
  const switches = configuration.categories.map((key): [Category, HTMLInputElement] => [
    key,
    categorySwitch(key, isGranted(prompt, key)),
  ]);
  const necessary = categorySwitch('necessary', true);
  necessary.disabled = true;
  const list = element(
    'ul',
    'categories',
    categoryItem(prompt, necessary, {
      title: labels.necessaryTitle ?? '',
      description: labels.necessaryDescription ?? '',
    }),
    ...switches.map(([key, box]) => categoryItem(prompt, box, describeCategory(prompt, key))),
  );
  return { list, granted: () => switches.filter(([, box]) => box.checked).map(([key]) => key) };
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

function categoryItem(
  prompt: Prompt,
  box: HTMLInputElement,
  { title, description }: { title: string; description: string },
): HTMLElement {
  const label = element('label', '', title);
  label.htmlFor = box.id;
  const about = element('p', 'text', description);
  about.id = `about-${box.value}`;
  box.setAttribute('aria-describedby', about.id);
  return element(
    'li',
    '',
    element('div', 'category', element('div', '', label, about), box),
    ...serviceDetails(prompt, box.value),
  );
}

/** The services of a category with their cookies. They are written in the default language. */
function serviceDetails({ configuration, text }: Prompt, category: string): Node[] {
  const services = configuration.services.filter((service) => service.category === category);
  if (services.length === 0) return [];
  const list = element('ul', 'services', ...services.map(serviceItem));
  list.lang = configuration.defaultLanguage;
  return [element('details', '', element('summary', '', text.labels.services ?? ''), list)];
}

function serviceItem({ name, provider, policyUrl, cookies }: SiteService): HTMLElement {
  return element(
    'li',
    '',
    element('b', '', name),
    ' – ',
    policyUrl ? link(policyUrl, provider) : provider,
    ...cookies.map((cookie) =>
      element('p', '', element('code', '', cookie.name), ` ${cookie.duration}: ${cookie.purpose}`),
    ),
  );
}
