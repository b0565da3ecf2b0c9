import { readFileSync } from 'node:fs';

/** A file of the dashboard's build, and what it cannot do without, by their keys in the build's manifest. */
interface Chunk {
  file: string;
  imports?: string[];
}

/** The modules that a page loads once it knows where it is, by the page's address. */
const SHELL = 'src/app/shell.tsx';
const PAGE_MODULES: Record<string, string[]> = {
  '/sign-in': ['src/features/sign-in/sign-in.page.tsx'],
  '/projects/:projectId': [SHELL, 'src/features/overview/overview.page.tsx'],
  '/projects/:projectId/consents': [SHELL, 'src/features/consents/consents.page.tsx'],
  '/projects/:projectId/*page': [SHELL],
};

/** Who is signed in decides what is shown next; asked for as the page itself asks for it, so that it uses the answer. */
const SESSION = 'rel="preload" as="fetch" crossorigin href="/v1/auth/get-session"';

/**
 * Links that let a browser ask for what a page will need together with its first script, rather than one after the
 * other: the first sight of a page is several round trips sooner. None for an address whose page needs nothing more.
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
      const scripts = files.map((file) => `rel="modulepreload" crossorigin href="/${file}"`);
      const links = modules.includes(SHELL) ? [SESSION, ...scripts] : scripts;
      return [address, links.map((link) => `<link nonce="${nonce}" ${link}>`).join('')];
    }),
  );
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
    found.add(chunk.file);
    collectFiles(manifest, chunk.imports ?? [], found);
  }
  return found;
}
