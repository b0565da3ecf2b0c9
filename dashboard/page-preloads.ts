import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Plugin } from 'vite';

/** A file of the build, with its dependencies, by their keys in the build's manifest. */
interface Chunk {
  file: string;
  imports?: string[];
  css?: string[];
}

/** The modules of each page, by its address. */
const SHELL = 'src/app/shell.tsx';
const PAGE_MODULES: Record<string, string[]> = {
  '/sign-in': ['src/features/sign-in/sign-in.page.tsx'],
  '/projects': [SHELL, 'src/features/projects/projects.page.tsx'],
  '/projects/:projectId': [SHELL, 'src/features/overview/overview.page.tsx'],
  '/projects/:projectId/consents': [SHELL, 'src/features/consents/consents.page.tsx'],
  '/projects/:projectId/*page': [SHELL],
};

/**
 * The session decides what is shown next; requested exactly like the page does, so that the page
 * uses the response.
 */
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
 * Writes `preloads.json`, which the service adds to its pages: by address, links that let a browser request what a page
 * needs together with its first script, rather than one after the other. The page is drawn several round trips sooner.
 * @param nonce the placeholder of the response's nonce, as elsewhere in the page
 */
export function pagePreloads(nonce: string): Plugin {
  return {
    name: 'page-preloads',
    apply: 'build',
    writeBundle({ dir = '' }) {
      const manifest = JSON.parse(readFileSync(join(dir, 'manifest.json'), 'utf8')) as Record<string, Chunk>;
      writeFileSync(join(dir, 'preloads.json'), JSON.stringify(preloadsOf(manifest, nonce)));
    },
  };
}

/** @throws Error where the build has no such module */
function preloadsOf(manifest: Record<string, Chunk>, nonce: string): Record<string, string> {
  const first = collectFiles(manifest, ['index.html']);
  return Object.fromEntries(
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
 * A script that sends a page's first requests, for `src/api/first-responses.ts`: only the
 * browser knows the project in its address and the user's time zone, which it reads like
 * `src/shared/zone.tsx` and `time.ts`. Not `rel="preload"`: a browser keeps an unused
 * response, such as the 401 before a sign-in.
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
