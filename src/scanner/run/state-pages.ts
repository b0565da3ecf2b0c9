import { templatesOf } from '../consent/page-choice.js';

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
