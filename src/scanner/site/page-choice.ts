/** Pages of one template that are visited: more of them would look alike. */
export const PAGES_PER_TEMPLATE_MAX = 3;
/** From this number of different values on, a segment of a path is a variable of the template. */
const VALUES_PER_PLACE_MAX = 8;

/** Numbers, dates, hashes and UUIDs, and titles of several words (`red-shoes-for-kids`). */
const VARIABLE_SEGMENT =
  /^(\d[\d.,_-]*|[0-9a-f]{8,}|[0-9a-f-]{36}|.*\d{4,}.*|[^-]+(-[^-]+){2,})(\.\w{1,5})?$/i;

/** A page that is known: found, visited, or left out. */
export interface KnownPage {
  number: number;
  url: string;
  /** Links between it and a start address. */
  depth: number;
  /** Whether it has been visited, with any result. */
  visited: boolean;
}

/** The template of each address: host, path with `*` in its variable places, and the names of its query. */
export function templatesOf(urls: readonly string[]): Map<string, string> {
  const split = urls.map((url) => ({ url, ...partsOf(url) }));
  const values = new Map<string, Set<string>>();
  for (const { host, segments } of split) {
    for (const [place, segment] of segments.entries()) {
      const key = placeKey(host, segments, place);
      const known = values.get(key);
      if (known) known.add(segment);
      else values.set(key, new Set([segment]));
    }
  }
  return new Map(
    split.map(({ url, host, segments, names }) => {
      const path = segments.map((segment, place) => {
        const varied = (values.get(placeKey(host, segments, place))?.size ?? 0) > VALUES_PER_PLACE_MAX;
        return varied ? '*' : segment;
      });
      return [url, `${host}/${path.join('/')}?${names.join('&')}`];
    }),
  );
}

/**
 * The page to visit next: start addresses first, then the least visited template, breadth first. null: nothing is left
 * that would show anything new.
 */
export function choosePage<Page extends KnownPage>(pages: readonly Page[]): Page | null {
  const templates = templatesOf(pages.map(({ url }) => url));
  const visits = new Map<string, number>();
  const visitsOf = ({ url }: Page): number => visits.get(templates.get(url) ?? '') ?? 0;
  for (const page of pages) if (page.visited) visits.set(templates.get(page.url) ?? '', visitsOf(page) + 1);
  const open = pages.filter(
    (page) => !page.visited && (page.depth === 0 || visitsOf(page) < PAGES_PER_TEMPLATE_MAX),
  );
  const byOrder = (a: Page, b: Page): number =>
    Number(a.depth > 0) - Number(b.depth > 0) ||
    (a.depth === 0 ? 0 : visitsOf(a) - visitsOf(b)) ||
    a.depth - b.depth ||
    a.number - b.number;
  return open.toSorted(byOrder)[0] ?? null;
}

function partsOf(url: string): { host: string; segments: string[]; names: string[] } {
  const { host, pathname, searchParams } = new URL(url);
  const segments = pathname
    .split('/')
    .filter((segment) => segment !== '')
    .map((segment) => (VARIABLE_SEGMENT.test(segment) ? '*' : segment));
  return { host, segments, names: [...new Set(searchParams.keys())].toSorted() };
}

/** A place of a path: the segments before it and how many there are. */
function placeKey(host: string, segments: readonly string[], place: number): string {
  return [host, segments.length, ...segments.slice(0, place)].join('/');
}

/** A page that the crawl loaded. */
interface CrawledPage {
  number: number;
  url: string;
  depth: number;
}

/** The pages that states are tested on: one of each template, start addresses first, then others until there are enough. */
export function chooseStatePages<Page extends CrawledPage>(pages: readonly Page[], limit: number): Page[] {
  const templates = templatesOf(pages.map(({ url }) => url));
  const ordered = pages.toSorted((a, b) => a.depth - b.depth || a.number - b.number);
  const seen = new Set<string>();
  const first = ordered.filter(({ url }) => {
    const template = templates.get(url) ?? url;
    if (seen.has(template)) return false;
    seen.add(template);
    return true;
  });
  const rest = ordered.filter((page) => !first.includes(page));
  return [...first, ...rest].slice(0, limit);
}
