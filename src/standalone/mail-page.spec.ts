import { expect, it } from '@jest/globals';
import { isLoopbackHost } from './mail-page.js';

it.each([
  'localhost',
  'localhost:3000',
  'LOCALHOST:3000',
  'shop.localhost',
  '127.0.0.1:3000',
  '127.8.9.1',
  '[::1]:3000',
])('%j is a loopback name', (host) => {
  expect(isLoopbackHost(host)).toBe(true);
});

it.each([
  undefined,
  '',
  'rebind.example',
  'rebind.example:3000',
  'localhost.example',
  '127.0.0.1.example',
  'localhost@rebind.example',
  'rebind.example/localhost',
  '128.0.0.1',
  '[::2]',
  '[::ffff:128.0.0.1]',
  'local host',
])('%j is none', (host) => {
  expect(isLoopbackHost(host)).toBe(false);
});
