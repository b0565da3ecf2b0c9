/** Builds elements. Content is nodes or text and never parsed as HTML. */
import { pristineDocument } from '../pristine-document';

export function element<K extends keyof HTMLElementTagNameMap>(
  name: K,
  className: string,
  ...content: (Node | string)[]
): HTMLElementTagNameMap[K] {
  const created = pristineDocument('createElement')(name);
  if (className) created.className = className;
  created.append(...content);
  return created;
}

export function button(
  className: string,
  text: string,
  onClick: (event: Event) => unknown,
): HTMLButtonElement {
  const created = element('button', className, text);
  created.type = 'button';
  created.addEventListener('click', onClick);
  return created;
}

export function link(address: string, text: string): HTMLAnchorElement {
  const created = element('a', '', text);
  created.href = address;
  created.target = '_blank';
  created.rel = 'noopener';
  return created;
}
