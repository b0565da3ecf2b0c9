/** The second layer: a switch for each category with its services and cookies, and the visitor's own consent. */
import type { Category } from '../site';
import { categoryList } from './category-list';
import { consentPanel } from './consent-panel';
import { controllerLine, policyLink } from './details';
import { button, element } from './element';
import type { Prompt } from './prompt';
import { wordsOf } from './words';

export interface SecondLayerActions {
  /** `services`: where the visitor chose by service. */
  save(granted: Category[], services?: Record<string, boolean>): void;
  reject(): void;
  withdraw(): void;
  /** The layer was closed, with or without a decision. */
  closed(): void;
}

export function secondLayer(prompt: Prompt, actions: SecondLayerActions): HTMLDialogElement {
  const { text } = prompt;
  const { labels } = text;
  const words = wordsOf(prompt);
  const title = element('h2', '', labels.settingsLink ?? text.title);
  title.id = 'title';
  const close = button('close', '', () => layer.close());
  close.setAttribute('aria-label', labels.close ?? '');
  const categories = categoryList(prompt);
  const layer = element(
    'dialog',
    'layer second',
    element('div', 'head', title, close),
    element(
      'div',
      'body',
      categories.list,
      element('p', 'text about', words.description, ...policyLink(prompt)),
      ...controllerLine(prompt),
      ...consentPanel(prompt, actions.withdraw),
    ),
    element(
      'div',
      'answers',
      button('answer', text.save, () =>
        BY_SERVICE
          ? actions.save(categories.granted(), categories.services?.())
          : actions.save(categories.granted()),
      ),
      button('answer', words.reject, actions.reject),
    ),
  );
  if (BY_SERVICE) prompt.part?.addSearch(categories.list, labels['searchServices'] ?? '');
  layer.setAttribute('aria-labelledby', title.id);
  layer.tabIndex = -1;
  layer.addEventListener('close', actions.closed);
  return layer;
}
