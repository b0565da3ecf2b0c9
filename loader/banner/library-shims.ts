/**
 * What vanilla-cookieconsent is given instead of the page's own globals (scripts/build-loader.mjs puts these imports at
 * its head): a document that no element's name stands in front of, storage that is gone with the page, and in place of
 * `innerHTML` a member that takes text. So nothing it shows is HTML, whatever a text holds, and it runs under
 * `require-trusted-types-for 'script'`.
 */
import { pristineDocument } from '../pristine-document';

const SVG = 'http://www.w3.org/2000/svg';
/** The library's icons are the only markup that it makes itself. */
const ICON = /^<svg .*stroke-width="([\d.]+)"><path d="([^"]+)"\/><\/svg>$/;

export const document = new Proxy({}, { get: (_, name) => pristineDocument(name as keyof Document) });

const memory: Record<string, string> = {};
export const localStorage = {
  getItem: (name: string): string | undefined => memory[name],
  setItem: (name: string, text: string): void => void (memory[name] = text),
  removeItem: (name: string): void => void delete memory[name],
};

/** Where it notes that it runs: the page may have a banner of the same making. */
export const window = {};

/** Stands where the library has `innerHTML`. */
export const content = Symbol('content');
Object.defineProperty(Element.prototype, content, {
  configurable: true,
  set(this: Element, value: string) {
    const [, width, path] = ICON.exec(value) ?? [];
    if (!path) {
      this.textContent = value;
      return;
    }
    const create = pristineDocument('createElementNS');
    const icon = create(SVG, 'svg');
    icon.setAttribute('viewBox', '0 0 24 24');
    icon.setAttribute('stroke-width', width ?? '');
    icon.appendChild(create(SVG, 'path')).setAttribute('d', path);
    this.replaceChildren(icon);
  },
});
