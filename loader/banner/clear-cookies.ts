import { pristineDocument } from '../pristine-document';
import type { SiteService } from '../site';
import { cookieDeletions, withdrawnCookies } from './rules';

/** Deletes the cookies of services that are not granted, except `HttpOnly` ones, which scripts cannot see. */
export function clearCookies(services: SiteService[], granted: (service: SiteService) => boolean): void {
  for (const name of withdrawnCookies(readableCookies(), services, granted)) {
    for (const deletion of cookieDeletions(name, location))
      Reflect.set(Document.prototype, 'cookie', deletion, document);
  }
}

/** Reading them throws in a sandboxed page, which has none. */
function readableCookies(): string {
  try {
    return pristineDocument('cookie');
  } catch {
    return '';
  }
}
