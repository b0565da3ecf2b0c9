/** The token of an API key in an `Authorization` header. */
const BEARER = /^Bearer +([\w.~+/-]+=*)$/i;

const SESSION_COOKIE = 'auth.session_token';

/**
 * The name of the session's cookie; `__Host-` binds it to one host, and browsers accept it only
 * over https.
 */
export function sessionCookieName({ publicBaseUrl }: { publicBaseUrl: string }): string {
  return publicBaseUrl.startsWith('https:') ? `__Host-${SESSION_COOKIE}` : SESSION_COOKIE;
}

/** The API key of an `Authorization` header; undefined if it is missing or malformed. */
export function apiKeyIn(authorization: string | undefined): string | undefined {
  return authorization === undefined ? undefined : BEARER.exec(authorization)?.[1];
}

/**
 * The API key and the session in a request's headers. Other cookies don't matter: `; j=1` in the
 * `Cookie` header does not change the session. Not verified, so it costs nothing.
 */
export function credentialsIn(
  { authorization, cookie }: { authorization?: string | undefined; cookie?: string | undefined },
  sessionCookie: string,
): string[] {
  const key = apiKeyIn(authorization);
  const session = cookie === undefined ? undefined : sessionIn(cookie, sessionCookie);
  return [
    ...(key === undefined ? [] : [`key ${key}`]),
    ...(session === undefined ? [] : [`session ${session}`]),
  ];
}

/**
 * The token of the session, without its signature, read like the sign-in library: the first cookie
 * of the name counts.
 */
function sessionIn(cookie: string, name: string): string | undefined {
  for (const part of cookie.split(';')) {
    const equals = part.indexOf('=');
    if (equals === -1 || part.slice(0, equals).trim() !== name) continue;
    const given = part.slice(equals + 1).trim();
    const value = decoded(given.startsWith('"') ? given.slice(1, -1) : given);
    // Base64 has several spellings of one signature.
    const dot = value.lastIndexOf('.');
    return dot === -1 ? undefined : value.slice(0, dot);
  }
  return undefined;
}

function decoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}

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
