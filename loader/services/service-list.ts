/** Switches of the services in the banner's second layer, and the search in a long list. */
import { element } from '../banner/element';
import type { ServiceItem } from '../site';

/** Services from which the list has a search, and is closed at first. */
const SEARCH_MIN = 12;

let sheet: CSSStyleSheet | undefined;

/**
 * Adds a switch to each service of a category. The category's own sets them all, and is mixed if they differ. Returns
 * what is on, by id.
 */
export function addSwitches(box: HTMLInputElement, items: ServiceItem[]): () => Record<string, boolean> {
  const switches = items.map(({ id, item, isOn }): [string, HTMLInputElement] => {
    const own = element('input', 'switch');
    own.type = 'checkbox';
    own.setAttribute('role', 'switch');
    own.checked = isOn;
    own.value = id;
    const content = element('div', '', ...item.childNodes);
    const name = content.querySelector('b');
    if (name) own.setAttribute('aria-labelledby', (name.id = `service-${id}`));
    item.className = 'choice';
    item.append(content, own);
    return [id, own];
  });
  // A switch has two states only.
  box.removeAttribute('role');
  const show = (): void => {
    const on = switches.filter(([, own]) => own.checked).length;
    box.checked = on === switches.length;
    box.indeterminate = on > 0 && on < switches.length;
    box.setAttribute('aria-checked', box.indeterminate ? 'mixed' : String(box.checked));
  };
  box.addEventListener('change', () => {
    for (const [, own] of switches) own.checked = box.checked;
    show();
  });
  for (const [, own] of switches) own.addEventListener('change', show);
  show();
  // Once the layer is in the banner's shadow root, before it is painted.
  queueMicrotask(() => addStyles(box.getRootNode()));
  return () => Object.fromEntries(switches.map(([id, own]) => [id, own.checked]));
}

function addStyles(root: Node): void {
  if (!(root instanceof ShadowRoot)) return;
  try {
    if (!sheet) {
      sheet = new CSSStyleSheet();
      sheet.replaceSync(SERVICES_CSS);
    }
    if (!root.adoptedStyleSheets.includes(sheet))
      root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet];
  } catch {
    // A browser from before 2023.
    root.append(element('style', '', SERVICES_CSS));
  }
}

/** Opens the services, or puts a search ahead of a long list. `label` names its field. */
export function addSearch(list: HTMLElement, label: string): void {
  const items = [...list.querySelectorAll<HTMLElement>('.services > li')];
  const groups = [...list.querySelectorAll('details')];
  const isLong = items.length >= SEARCH_MIN;
  for (const group of groups) group.open = !isLong;
  if (!isLong) return;
  const field = element('input', 'search');
  field.type = 'search';
  field.placeholder = label;
  field.setAttribute('aria-label', label);
  field.addEventListener('input', () => {
    const words = field.value.trim().toLowerCase();
    for (const item of items) item.hidden = !(item.textContent ?? '').toLowerCase().includes(words);
    for (const group of groups)
      group.open = words !== '' && group.querySelector('.services > li:not([hidden])') !== null;
  });
  list.before(field);
}
