/** The categories that the visitor may switch, each with its declared services and cookies. */
import type { Category, ServiceItem, SiteService } from '../site';
import { element, link } from './element';
import { describeCategory, isGranted, isServiceGranted, type Prompt } from './prompt';
import { serviceFacts, translationIn } from './rules';

export interface CategoryList {
  list: HTMLElement;
  /** The categories whose switch is on. */
  granted(): Category[];
  /** Whether each service is on; absent where visitors do not choose by service. */
  services?: () => Record<string, boolean>;
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
  const shown: CategoryList = {
    list,
    granted: () => switches.filter(([, box]) => box.checked).map(([key]) => key),
  };
  if (BY_SERVICE && prompt.part) {
    const chosen = switches.map(([, box]) => addServiceSwitches(prompt, box, list));
    shown.services = () => Object.assign({}, ...chosen.map((read) => read()));
  }
  return shown;
}

/** Returns a function that reads the switches of a category's services. */
function addServiceSwitches(
  prompt: Prompt,
  box: HTMLInputElement,
  list: HTMLElement,
): () => Record<string, boolean> {
  const shown = [...list.querySelectorAll<HTMLElement>(`#about-${box.value} ~ .services > li`)];
  const items = servicesOf(prompt, box.value).flatMap((service, n): ServiceItem[] => {
    const item = shown[n];
    return service.id && item ? [{ id: service.id, item, isOn: isServiceGranted(prompt, service) }] : [];
  });
  return items.length > 0 && prompt.part ? prompt.part.addSwitches(box, items) : () => ({});
}

/** Without their texts, services are not listed. */
const servicesOf = ({ configuration }: Prompt, key: string): SiteService[] =>
  configuration.services.filter(({ category, name }) => category === key && name);

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
  const services = servicesOf(prompt, box.value);
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
