import { pristineDocument } from '../pristine-document';
import type { SiteConfiguration } from '../site';

/**
 * Counts a visit with a prompt, once: as `chosen` as soon as the returned function is called, else
 * as `ignored` when the page is left or put into the background (docs/analytics.md). `base` is this
 * script's address.
 */
export function countVisit({ visitsUrl, region }: SiteConfiguration, base: string): () => void {
  let counted = !visitsUrl;
  const count = (banner: string): void => {
    if (counted) return;
    counted = true;
    navigator.sendBeacon?.(new URL(visitsUrl as string, base).href, JSON.stringify({ banner, region }));
  };
  addEventListener(
    'visibilitychange',
    () => pristineDocument('visibilityState') === 'hidden' && count('ignored'),
  );
  addEventListener('pagehide', () => count('ignored'));
  return () => count('chosen');
}
