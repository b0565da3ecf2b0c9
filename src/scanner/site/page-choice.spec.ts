import { describe, expect, it } from '@jest/globals';
import {
  choosePage,
  chooseStatePages,
  type KnownPage,
  PAGES_PER_TEMPLATE_MAX,
  templatesOf,
} from './page-choice.js';

const HOST = 'https://example.com';

function pages(paths: string[], depth = 1): KnownPage[] {
  return paths.map((path, index) => ({ number: index + 1, url: HOST + path, depth, visited: false }));
}

/** Visits until nothing is left, as the scanner does. */
function visitAll(known: KnownPage[]): string[] {
  const visited: string[] = [];
  for (let next = choosePage(known); next; next = choosePage(known)) {
    next.visited = true;
    visited.push(next.url.slice(HOST.length));
  }
  return visited;
}

describe('templatesOf', () => {
  it.each([
    ['/product/1', '/product/22.html'],
    ['/blog/2026/11/24', '/blog/2025/01/02'],
    ['/p/3f2504e0-4f89-41d3-9a0c-0305e82c3301', '/p/6fa459ea-ee8a-3ca4-894e-db77e160355e'],
    ['/news/how-to-bake-bread', '/news/why-we-left-town'],
    ['/list?page=1&sort=a', '/list?sort=b&page=2'],
  ])('puts %s and %s into one', (a, b) => {
    const templates = templatesOf([HOST + a, HOST + b]);
    expect(templates.get(HOST + a)).toBe(templates.get(HOST + b));
  });

  it.each([
    ['/about', '/contact'],
    ['/list', '/list?page=1'],
    ['/shop/shoes', '/shop/shoes/red'],
  ])('keeps %s and %s apart', (a, b) => {
    const templates = templatesOf([HOST + a, HOST + b]);
    expect(templates.get(HOST + a)).not.toBe(templates.get(HOST + b));
  });

  it('takes a place with more than eight values for a variable', () => {
    const names = ['ada', 'bob', 'cid', 'dan', 'eve', 'fay', 'gus', 'hal'];
    const few = names.map((name) => `${HOST}/team/${name}`);
    expect(new Set(templatesOf(few).values()).size).toBe(8);
    expect(new Set(templatesOf([...few, `${HOST}/team/ivy`]).values()).size).toBe(1);
  });

  it('keeps hosts apart', () => {
    const urls = ['https://a.example.com/1', 'https://b.example.com/1'];
    expect(new Set(templatesOf(urls).values()).size).toBe(2);
  });
});

describe('choosePage', () => {
  it('returns null where nothing is known', () => {
    expect(choosePage([])).toBeNull();
  });

  it('visits start addresses first, however alike they are', () => {
    const paths = Array.from({ length: PAGES_PER_TEMPLATE_MAX + 2 }, (_, index) => `/item/${index}`);
    expect(visitAll(pages(paths, 0))).toEqual(paths);
  });

  it('visits each template before a second page of one', () => {
    const paths = ['/item/1', '/item/2', '/about', '/cart'];
    expect(visitAll(pages(paths))).toEqual(['/item/1', '/about', '/cart', '/item/2']);
  });

  it('visits near pages before distant ones', () => {
    const known = pages(['/deep', '/near']).map((page) => ({
      ...page,
      depth: page.url.endsWith('deep') ? 2 : 1,
    }));
    expect(visitAll(known)).toEqual(['/near', '/deep']);
  });

  it('leaves an infinite calendar after three pages', () => {
    const months = Array.from({ length: 500 }, (_, index) => `/calendar?month=${index}`);
    expect(visitAll(pages([...months, '/about']))).toHaveLength(PAGES_PER_TEMPLATE_MAX + 1);
  });
});

const page = (number: number, path: string, depth = 1): { number: number; url: string; depth: number } => ({
  number,
  depth,
  url: `https://shop.example${path}`,
});

it('takes start addresses, then one page of each template, then others', () => {
  const pages = [
    page(1, '/', 0),
    page(2, '/product/1001'),
    page(3, '/product/1002'),
    page(4, '/cart'),
    page(5, '/product/1003'),
  ];
  const numbers = (limit: number): number[] => chooseStatePages(pages, limit).map(({ number }) => number);
  expect(numbers(3)).toEqual([1, 2, 4]);
  expect(numbers(4)).toEqual([1, 2, 4, 3]);
  expect(numbers(10)).toEqual([1, 2, 4, 3, 5]);
});
