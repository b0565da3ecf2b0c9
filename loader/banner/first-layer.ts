/** The first layer: accept and reject, alike in every respect, and the way to the second layer. */
import { logo, policyLink } from './details';
import { button, element } from './element';
import type { Prompt } from './prompt';
import { wordsOf } from './words';

export interface FirstLayerActions {
  accept(): void;
  reject(): void;
  /** The only answer of a first layer that informs. */
  acknowledge(): void;
  customize(): void;
}

export function firstLayer(prompt: Prompt, actions: FirstLayerActions): HTMLElement {
  const { text, informs, configuration } = prompt;
  const outline = configuration.banner?.secondaryButton === 'outline' ? ' outline' : '';
  const words = wordsOf(prompt);
  const title = element('h2', '', words.title);
  title.id = 'title';
  const description = element('p', 'text', words.description, ...policyLink(prompt));
  description.id = 'description';
  const answers = informs
    ? [button('answer', text.labels.acknowledge ?? '', actions.acknowledge)]
    : [button('answer', words.accept, actions.accept), button('answer', words.reject, actions.reject)];
  const layer = element(
    'div',
    'layer first',
    element('div', 'body', ...logo(prompt), title, description),
    element(
      'div',
      'actions',
      element('div', 'answers', ...answers),
      button(`quiet${outline}`, text.choose, actions.customize),
    ),
  );
  // Not modal: the page stays usable, and Tab continues there.
  layer.setAttribute('role', 'dialog');
  layer.setAttribute('aria-labelledby', title.id);
  layer.setAttribute('aria-describedby', description.id);
  layer.tabIndex = -1;
  return layer;
}
