/** What decides what a visitor sees of the banner. Coarse on purpose: no size, no model, no browser. */
import type { Seen, SiteConfiguration } from '../site';
import { isDark } from './theme';

/** The shorter side of the screen, in CSS pixels, from which a device that is used by touch is a tablet. */
const TABLET_MIN_PX = 600;

/** `language` is that of the texts. */
export function seenIn(language: string, { banner }: SiteConfiguration): Seen {
  return {
    language,
    theme: banner && isDark(banner) ? 'dark' : 'light',
    device: deviceKind(),
  };
}

function deviceKind(): Seen['device'] {
  if (!matchMedia('(pointer: coarse)').matches) return 'desktop';
  return Math.min(screen.width, screen.height) < TABLET_MIN_PX ? 'phone' : 'tablet';
}
