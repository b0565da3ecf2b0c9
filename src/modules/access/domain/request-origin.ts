/** What a browser says about where a request comes from; a client that is no browser says nothing. */
export interface RequestOrigin {
  method: string;
  /** The `Host` that the request was sent to. */
  host: string | undefined;
  origin: string | undefined;
  secFetchSite: string | undefined;
}

const SAFE_METHODS = ['GET', 'HEAD', 'OPTIONS'];

/**
 * Whether a request that a cookie authenticates may act: one that changes something must not come from
 * another site, and not from another host of the same site either (CSRF). Every current browser sends `Origin`
 * with such requests; without both headers it was not sent by a page.
 *
 * `publicOrigin` is the service's own origin; empty where it is not known (never in production): then it is
 * the host that the request was sent to.
 */
export function isOwnRequest(request: RequestOrigin, publicOrigin: string): boolean {
  if (SAFE_METHODS.includes(request.method)) return true;
  const { secFetchSite } = request;
  if (secFetchSite !== undefined && secFetchSite !== 'same-origin' && secFetchSite !== 'none') return false;
  return request.origin === undefined || isOwnOrigin(request.origin, request.host, publicOrigin);
}

function isOwnOrigin(origin: string, host: string | undefined, publicOrigin: string): boolean {
  if (publicOrigin !== '') return origin === publicOrigin;
  return origin !== 'null' && URL.canParse(origin) && new URL(origin).host === host;
}
