import type { IncomingMessage } from 'node:http';
import { describe, expect, it } from '@jest/globals';
import { clientFinder } from './client-address.js';

const request = (remoteAddress: string | undefined, forwarded?: string): IncomingMessage =>
  ({
    socket: { remoteAddress },
    headers: forwarded === undefined ? {} : { 'x-forwarded-for': forwarded },
  }) as unknown as IncomingMessage;

describe('clientFinder', () => {
  it('believes a trusted proxy, and nobody else', () => {
    expect(clientFinder(['10.0.0.0/8'])(request('10.0.0.1', '198.51.100.7')).address).toBe('198.51.100.7');
    expect(clientFinder(['10.0.0.0/8'])(request('192.0.2.1', '198.51.100.7')).address).toBe('192.0.2.1');
    expect(clientFinder([])(request('10.0.0.1', '198.51.100.7')).address).toBe('10.0.0.1');
  });

  it('is empty for a client that has hung up, instead of failing', () => {
    expect(clientFinder([])(request(undefined)).address).toBe('');
    expect(clientFinder(['10.0.0.0/8'])(request(undefined, '198.51.100.7')).address).toBe('');
  });
});
