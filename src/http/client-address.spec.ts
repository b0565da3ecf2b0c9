import type { IncomingMessage } from 'node:http';
import { describe, expect, it } from '@jest/globals';
import { clientAddress } from './client-address.js';

const request = (remoteAddress: string | undefined, forwarded?: string): IncomingMessage =>
  ({
    socket: { remoteAddress },
    headers: forwarded === undefined ? {} : { 'x-forwarded-for': forwarded },
  }) as unknown as IncomingMessage;

describe('clientAddress', () => {
  it('believes a trusted proxy, and nobody else', () => {
    expect(clientAddress(['10.0.0.0/8'])(request('10.0.0.1', '198.51.100.7'))).toBe('198.51.100.7');
    expect(clientAddress(['10.0.0.0/8'])(request('192.0.2.1', '198.51.100.7'))).toBe('192.0.2.1');
    expect(clientAddress([])(request('10.0.0.1', '198.51.100.7'))).toBe('10.0.0.1');
  });

  it('is empty for a client that has hung up, instead of failing', () => {
    expect(clientAddress([])(request(undefined))).toBe('');
    expect(clientAddress(['10.0.0.0/8'])(request(undefined, '198.51.100.7'))).toBe('');
  });
});
