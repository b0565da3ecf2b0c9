/** The browser's headers about the origin of a request; other clients send none. */
export interface RequestOrigin {
  method: string;
  /** The `Host` that the request was sent to. */
  host: string | undefined;
  origin: string | undefined;
  secFetchSite: string | undefined;
}

const SAFE_METHODS = ['GET', 'HEAD', 'OPTIONS'];

/**
 * Whether a request authenticated by a cookie may act: a changing request must not come from
 * another site, nor from another host of the same site (CSRF). Every current browser sends `Origin`
 * with such requests; without both headers it was not sent by a page. `publicOrigin` is the
 * service's own origin; if empty (never in production), the host of the request is used.
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
