/** A script that has run cannot be stopped: the visitor may reload the page without it. */
import { pristineDocument } from '../pristine-document';
import { selectorOf } from './blocked-frames';
import { button, element } from './element';
import { createHost } from './host';
import type { Prompt } from './prompt';

/** Whether a script of this category or service has been run. */
export const hasRunScript = (name: string): boolean =>
  pristineDocument('querySelector')(`script${selectorOf(name)}:not([type="text/plain"])`) !== null;

export function offerReload(prompt: Prompt): void {
  const { labels } = prompt.text;
  // The texts could not be loaded.
  if (!labels.reload) return;
  const host = createHost(prompt);
  const title = element('h2', '', labels.settingsLink ?? '');
  title.id = 'title';
  const description = element('p', 'text', labels.reloadText ?? '');
  description.id = 'description';
  const layer = element(
    'div',
    'layer first',
    element('div', 'body', title, description),
    element(
      'div',
      'answers',
      button('answer', labels.reload, () => location.reload()),
      button('answer', labels.close ?? '', () => host.remove()),
    ),
  );
  layer.setAttribute('role', 'dialog');
  layer.setAttribute('aria-labelledby', title.id);
  layer.setAttribute('aria-describedby', description.id);
  layer.tabIndex = -1;
  host.show(layer);
}
