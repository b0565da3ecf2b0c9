import { expect, it } from '@jest/globals';
import { chooseSitemapPages, SITEMAP_PAGES_MAX } from './read-sitemap.js';

const page = (path: string): string => `https://shop.example${path}`;

it('takes some pages of each template, once each, in their order', () => {
  const products = Array.from({ length: 50 }, (_, at) => page(`/product/${at}`));
  const chosen = chooseSitemapPages([page('/about'), ...products, page('/about'), page('/terms')]);
  expect(chosen).toEqual([
    page('/about'),
    ...Array.from({ length: 6 }, (_, at) => page(`/product/${at}`)),
    page('/terms'),
  ]);
});

it('takes 500 pages at most', () => {
  const urls = Array.from({ length: 1_000 }, (_, at) => `https://s${at}.shop.example/`);
  expect(chooseSitemapPages(urls)).toEqual(urls.slice(0, SITEMAP_PAGES_MAX));
});

// A choice that compared each address with all others would not end before the test is stopped.
it('chooses among 100,000 addresses', () => {
  const urls = Array.from({ length: 100_000 }, (_, at) => page(`/c${at % 40}/p-${at}.html?size=${at % 3}`));
  expect(chooseSitemapPages(urls).length).toBeGreaterThan(5);
});
