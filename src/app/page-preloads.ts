import { readFileSync } from 'node:fs';

/** A file of the dashboard's build, and what it cannot do without, by their keys in the build's manifest. */
interface Chunk {
  file: string;
  imports?: string[];
  css?: string[];
}

/** The modules that a page loads once it knows where it is, by the page's address. */
const SHELL = 'src/app/shell.tsx';
const PAGE_MODULES: Record<string, string[]> = {
  '/sign-in': ['src/features/sign-in/sign-in.page.tsx'],
  '/projects': [SHELL, 'src/features/projects/projects.page.tsx'],
  '/projects/:projectId': [SHELL, 'src/features/overview/overview.page.tsx'],
  '/projects/:projectId/consents': [SHELL, 'src/features/consents/consents.page.tsx'],
  '/projects/:projectId/*page': [SHELL],
};

/** Who is signed in decides what is shown next; requested exactly as the page requests it, so that it uses the response. */
const SESSION = 'rel="preload" as="fetch" crossorigin href="/v1/auth/get-session"';

/** What every page of a project requests. */
const PROJECT_REQUESTS = [
  '/v1/projects?limit=200',
  '/v1/projects/{projectId}',
  '/v1/projects/{projectId}/forwarding/deliveries/undelivered',
];
/** The first requests of a page without search parameters, exactly as the page sends them. */
const PAGE_REQUESTS: Record<string, string[]> = {
  '/projects': ['/v1/projects?limit=200', '/v1/project-statuses?timeZone={timeZone}'],
  '/projects/:projectId': [
    ...PROJECT_REQUESTS,
    '/v1/projects/{projectId}/configuration',
    '/v1/projects/{projectId}/consents?limit=8&withDelivery=true',
    '/v1/projects/{projectId}/forwarding',
    '/v1/projects/{projectId}/analytics/overview?timeZone={timeZone}',
    '/v1/projects/{projectId}/analytics/daily?timeZone={timeZone}',
    '/v1/projects/{projectId}/forwarding/deliveries/activity?timeZone={timeZone}',
    '/v1/projects/{projectId}/tier',
  ],
  '/projects/:projectId/consents': [
    ...PROJECT_REQUESTS,
    '/v1/projects/{projectId}/consents?limit=100&withDelivery=true',
    '/v1/projects/{projectId}/tier',
  ],
  '/projects/:projectId/*page': PROJECT_REQUESTS,
};

/**
 * Links that let a browser request what a page needs together with its first script, rather than one after the
 * other: the page is drawn several round trips sooner. None for an address whose page needs nothing more.
 * @param manifestFile the build's manifest
 * @param nonce the placeholder of the response's nonce, as elsewhere in the page
 * @throws Error where the build has no such module
 */
export function pagePreloads(manifestFile: string, nonce: string): Map<string, string> {
  const manifest = JSON.parse(readFileSync(manifestFile, 'utf8')) as Record<string, Chunk>;
  const first = collectFiles(manifest, ['index.html']);
  return new Map(
    Object.entries(PAGE_MODULES).map(([address, modules]) => {
      const files = [...collectFiles(manifest, modules)].filter((file) => !first.has(file));
      const own = files.map((file) =>
        file.endsWith('.css')
          ? `rel="preload" as="style" crossorigin href="/${file}"`
          : `rel="modulepreload" crossorigin href="/${file}"`,
      );
      const links = modules.includes(SHELL) ? [SESSION, ...own] : own;
      const preloads = links.map((link) => `<link nonce="${nonce}" ${link}>`).join('');
      const requests = PAGE_REQUESTS[address];
      return [address, requests ? `${preloads}${firstRequests(requests, nonce)}` : preloads];
    }),
  );
}

/**
 * A script that sends a page's first requests, for `dashboard/src/api/first-responses.ts`: only the browser knows the
 * project in its address and the person's time zone, which it reads as `dashboard/src/shared/zone.tsx` and `time.ts` do.
 * Not `rel="preload"`: a browser keeps a response that was not used, such as the 401 of a person who then signs in.
 */
function firstRequests(requests: readonly string[], nonce: string): string {
  return `<script nonce="${nonce}">
    if (location.search === '') {
      const timeZone = localStorage.getItem('zone') === 'utc' ? 'UTC'
        : globalThis.Temporal?.Now.timeZoneId() ?? Intl.DateTimeFormat().resolvedOptions().timeZone;
      globalThis.firstResponses = new Map(${JSON.stringify(requests)}.map((request) => {
        const path = request
          .replace('{projectId}', location.pathname.split('/')[2])
          .replace('{timeZone}', encodeURIComponent(timeZone));
        return [location.origin + path, fetch(path).catch(() => null)];
      }));
    }
  </script>`;
}

function collectFiles(
  manifest: Record<string, Chunk>,
  keys: string[],
  found = new Set<string>(),
): Set<string> {
  for (const key of keys) {
    const chunk = manifest[key];
    if (!chunk) throw new Error(`The dashboard's build has no ${key}.`);
    if (found.has(chunk.file)) continue;
    for (const file of [chunk.file, ...(chunk.css ?? [])]) found.add(file);
    collectFiles(manifest, chunk.imports ?? [], found);
  }
  return found;
}
