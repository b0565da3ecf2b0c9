import { describe, expect, it } from '@jest/globals';
import { demoDomains } from './demo-history.js';

describe(demoDomains, () => {
  it.each([
    [['127.0.0.1', '127.0.0.1'], ['example.com']],
    [['localhost', '[::1]'], ['example.com']],
    [
      ['127.0.0.1', 'demo.example.net'],
      ['example.com', 'demo.example.net'],
    ],
    [
      ['demo.example.net', 'demo.example.net'],
      ['example.com', 'demo.example.net'],
    ],
    [['0.0.0.0', '127.0.0.1'], null],
    [['::', '127.0.0.1'], null],
    [['192.168.1.5', '192.168.1.5'], null],
    [['shop', 'shop'], null],
  ])('reached by %j it names %j', (hosts, domains) => expect(demoDomains(hosts)).toEqual(domains));
});
