/** The routes of visitors' browsers; everything else exists only on the service's own host. */

const PROJECT = '([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})';

const READ = new RegExp(
  `^/cdn/${PROJECT}/(?:loader\\.js|blocker\\.js|config\\.json|declaration\\.(?:js|html)|(?:banner|signals)-[0-9a-f]{16}\\.js|logo-[0-9a-f]{1,64}\\.png|(?:text|details)-[0-9a-f]{64}-[a-z0-9-]+\\.json)$`,
  'i',
);
const SENT = new RegExp(`^/v1/projects/${PROJECT}/(?:consents|visits)/?$`, 'i');
/** The body names the project. */
const VISITOR = /^\/v1\/visitor\/(?:records|receipts|withdrawals|erasures)\/?$/i;

/** Whether a request through a host of this project's site is allowed; `path` has no query. */
export function isPublicRoute(
  projectId: string,
  { method, path }: { method: string | undefined; path: string },
): boolean {
  const isPreflight = method === 'OPTIONS';
  const named = READ.exec(path)?.[1];
  if (named !== undefined)
    return sameId(named, projectId) && (isPreflight || method === 'GET' || method === 'HEAD');
  if (!isPreflight && method !== 'POST') return false;
  const sent = SENT.exec(path)?.[1];
  return sent === undefined ? VISITOR.test(path) : sameId(sent, projectId);
}

const sameId = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase();

/** The target of a customer's proxy, in origin form, and in the absolute form that a proxy may send. */
const PROXY_URL = new RegExp(`^(?:https?://[^/?#]*)?/first-party/${PROJECT}(/[^?#]*)(.*)$`, 'i');

/** The project and the service's own path of a forwarded request; null for any other request. */
export function parseProxyUrl(url: string): { projectId: string; path: string; query: string } | null {
  const [, projectId, path, query] = PROXY_URL.exec(url) ?? [];
  if (projectId === undefined || path === undefined) return null;
  return { projectId: projectId.toLowerCase(), path, query: query ?? '' };
}
