import { describe, expect, it } from '@jest/globals';
import { itemId, itemKey, matchesPattern } from './item-key.js';

describe('the key of an item', () => {
  it.each([
    ['_ga', '_ga'],
    ['_ga_1A2B3C4D5E', '_ga_1A2B3C4D5E'],
    ['amplitude_id_0123456789abcdef0123456789abcdef', 'amplitude_id_*'],
    ['serviceMeta:0198f3a0-1111-7000-8000-000000000001:choice', 'serviceMeta:*:choice'],
    ['session-12345678', 'session-12345678'],
    ['session-123456789', 'session-*'],
    ['deadbeefcafe', 'deadbeefcafe'],
    ['deadbeefcaf1', '*'],
  ])('calls %s %s', (name, expected) => {
    expect(itemKey({ kind: 'cookie', name, host: 'example.com' }).name).toBe(expected);
  });

  it('names the site of what is stored, and the host and no path of a request', () => {
    expect(itemKey({ kind: 'cookie', name: 'a', host: '.www.example.co.uk' }).host).toBe('example.co.uk');
    expect(itemKey({ kind: 'request', name: '/collect?v', host: 'www.google.com' })).toEqual({
      kind: 'request',
      name: '',
      host: 'www.google.com',
    });
  });

  it('has one id each', () => {
    const key = { kind: 'cookie', name: 'a', host: 'b' } as const;
    expect(itemId(key)).toBe(itemId({ ...key }));
    expect(itemId(key)).not.toBe(itemId({ ...key, kind: 'local_storage' }));
    expect(itemId({ ...key, name: 'a,b', host: '' })).not.toBe(itemId({ ...key, name: 'a', host: 'b' }));
  });
});

describe('a pattern', () => {
  it.each([
    ['_ga', '_ga', true],
    ['_gat', '_ga', false],
    ['_ga_X', '_ga_*', true],
    ['_ga_', '_ga_*', true],
    ['_ga', '_ga_*', false],
    ['wp-settings-7-time', 'wp-*-time', true],
    ['wp-time', 'wp-*-time', false],
    ['a-b-c-d', 'a*b*d', true],
    ['a-d-b', 'a*b*d', false],
    ['ab', 'ab*b', false],
    ['anything', '*', true],
    ['a.b', 'a?b', false],
  ])('%s is one of %s: %s', (name, pattern, expected) => {
    expect(matchesPattern(name, pattern)).toBe(expected);
  });
});
