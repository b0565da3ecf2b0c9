import { ofDocument } from '../own-document';
import type { SiteService } from '../site';
import { cookieDomains, withdrawnCookies } from './rules';

/**
 * Clears the cookies of services whose category is not granted, on whichever domain they are: a script cannot see
 * which, nor those that are not for scripts.
 */
export function clearCookies(
  services: SiteService[],
  granted: (category: SiteService['category']) => boolean,
): void {
  for (const name of withdrawnCookies(readableCookies(), services, granted)) {
    for (const domain of ['', ...cookieDomains(location.hostname)]) {
      const end = `${name}=;path=/;max-age=0${domain && `;domain=${domain}`}`;
      Reflect.set(Document.prototype, 'cookie', end, document);
    }
  }
}

/** A page in a sandbox has none, and may not even ask. */
function readableCookies(): string {
  try {
    return ofDocument('cookie');
  } catch {
    return '';
  }
}
