const ICONS = {
  check: '<path d="M20 6 9 17l-5-5"/>',
  minus: '<path d="M5 12h14"/>',
};

/** The drawings that `icon` refers to, once per page. */
export const ICON_SYMBOLS = `<svg class="symbols" aria-hidden="true">${Object.entries(ICONS)
  .map(([name, shapes]) => `<symbol id="icon-${name}" viewBox="0 0 24 24">${shapes}</symbol>`)
  .join('')}</svg>`;

export const icon = (name: keyof typeof ICONS): string =>
  `<svg class="icon" aria-hidden="true"><use href="#icon-${name}"/></svg>`;

export const hiddenText = (text: string): string => `<span class="hidden">${text}</span>`;
