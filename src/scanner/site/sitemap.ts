import { PAGES_PER_TEMPLATE_MAX, templatesOf } from '../consent/page-choice.js';

/** Sitemaps that one scan reads, indexes included. */
export const SITEMAPS_MAX = 50;
/** Indexes between a sitemap and the first one: the protocol allows one level. */
export const SITEMAP_DEPTH_MAX = 2;
/** Uncompressed bytes of one sitemap: the protocol's limit. */
export const SITEMAP_BYTES_MAX = 50 * 1024 * 1024;
/** Addresses that one scan reads from sitemaps. */
export const SITEMAP_ENTRIES_MAX = 100_000;
/** Pages that a scan takes from sitemaps. It remembers 2,000 pages, and links need room, too. */
export const SITEMAP_PAGES_MAX = 500;
/** Spare pages of each template, for pages that fail or are duplicates. */
const PAGES_KEPT_PER_TEMPLATE = 2 * PAGES_PER_TEMPLATE_MAX;

/** The pages that a scan takes from its sitemaps: some of each template, in the order of the sitemaps. */
export function chooseSitemapPages(urls: readonly string[]): string[] {
  const unique = [...new Set(urls)];
  const templates = templatesOf(unique);
  const counts = new Map<string, number>();
  const chosen = unique.filter((url) => {
    const template = templates.get(url) ?? url;
    const count = (counts.get(template) ?? 0) + 1;
    counts.set(template, count);
    return count <= PAGES_KEPT_PER_TEMPLATE;
  });
  return chosen.slice(0, SITEMAP_PAGES_MAX);
}
