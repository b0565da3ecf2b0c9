/** Who is responsible, and their policy: below the descriptions of both layers. */
import { bannerAddress } from './address';
import { element, link } from './element';
import type { Prompt } from './prompt';

/** The site's logo, above the title. It is decoration: the title names the dialog. */
export function logo({ configuration: { banner } }: Prompt): Node[] {
  if (!banner?.logo) return [];
  const image = element('img', 'logo');
  image.alt = '';
  // The page's policy may forbid it.
  image.onerror = () => image.remove();
  image.src = new URL(banner.logo, bannerAddress).href;
  return [image];
}

/** The site's own policy, after a description. */
export function policyLink({ configuration, text }: Prompt): (Node | string)[] {
  const { policyUrl } = configuration;
  return policyUrl ? [' ', link(policyUrl, text.labels.policyLink ?? '')] : [];
}

/** Who decides about the records, and how to reach them. */
export function controllerLine({ configuration, text }: Prompt): Node[] {
  const { name, contact } = configuration.controller ?? {};
  if (!name && !contact) return [];
  const address = /^https?:/.test(contact ?? '')
    ? contact
    : /^\S+@\S+$/.test(contact ?? '') && `mailto:${contact}`;
  return [
    element(
      'p',
      'text controller',
      [text.labels.controller, name].filter(Boolean).join(': '),
      name && contact ? ', ' : contact ? ': ' : '',
      address ? link(address, contact ?? '') : (contact ?? ''),
    ),
  ];
}
