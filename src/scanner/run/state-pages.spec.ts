import { expect, it } from '@jest/globals';
import { chooseStatePages } from './state-pages.js';

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
