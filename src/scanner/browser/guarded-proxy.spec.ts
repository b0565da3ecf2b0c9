import { expect, it } from '@jest/globals';
import { isLoaderOf, isRecordRequest } from './guarded-proxy.js';

const ID = '01890a5d-ac96-774b-bcce-b302099a8057';
const url = (path: string): URL => new URL(path, 'https://consent.example.com');

it.each([
  [`/v1/projects/${ID}/consents`, 'POST', true],
  [`/v1/projects/${ID}/visits`, 'POST', true],
  [`/v1/projects/${ID}/visits/`, 'OPTIONS', true],
  [`/v1/projects/${ID}/visits?x=1`, 'POST', true],
  [`/v1/projects/${ID}/consents`, 'GET', false],
  [`/v1/projects/${ID}/consents/export`, 'POST', false],
  [`/v1/projects/shop/visits`, 'POST', false],
  [`/shop/v1/projects/${ID}/visits`, 'POST', false],
  [`/cdn/${ID}/loader.js`, 'GET', false],
])('%s by %s is a record: %s', (path, method, expected) => {
  expect(isRecordRequest(url(path), method)).toBe(expected);
});

it('knows the loader of a project by its path', () => {
  expect(isLoaderOf(ID, `https://cdn.example.com/cdn/${ID}/loader.js?v=1`)).toBe(true);
  expect(isLoaderOf(ID, `https://shop.example/consent/cdn/${ID}/loader.js`)).toBe(true);
  expect(isLoaderOf(ID, `https://cdn.example.com/cdn/${ID.replace('0', '1')}/loader.js`)).toBe(false);
  expect(isLoaderOf(ID, `https://cdn.example.com/cdn/${ID}/banner.js`)).toBe(false);
  expect(isLoaderOf(ID, 'nonsense')).toBe(false);
});
