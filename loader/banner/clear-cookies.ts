import { pristineDocument } from '../pristine-document';
import type { SiteService } from '../site';
import { cookieEnds, withdrawnCookies } from './rules';

/** Clears the cookies of services whose category is not granted, but for those that are not for scripts. */
export function clearCookies(
  services: SiteService[],
  granted: (category: SiteService['category']) => boolean,
): void {
  for (const name of withdrawnCookies(readableCookies(), services, granted)) {
    for (const end of cookieEnds(name, location)) Reflect.set(Document.prototype, 'cookie', end, document);
  }
}

/** A page in a sandbox has none, and may not even ask. */
function readableCookies(): string {
  try {
    return pristineDocument('cookie');
  } catch {
    return '';
  }
}
