import { expect, it } from '@jest/globals';
import { type RecordedExchange, maskAddress, maskHeader, toHar } from './har.js';

const EXCHANGE: RecordedExchange = {
  page: 1,
  startedAt: new Date('2026-11-25T10:00:00Z'),
  method: 'POST',
  type: 'fetch',
  url: 'https://t.example/collect?uid=secret#secret',
  initiator: 't.example/t.js',
  bodyType: 'text/plain',
  requestHeaders: [
    { name: 'Cookie', value: 'a=secret; b=secret' },
    { name: 'Authorization', value: 'Bearer secret' },
    { name: 'Referer', value: 'https://shop.example/?mail=secret' },
    { name: 'Accept', value: '*/*' },
  ],
  body: { valueLength: 6, valueHash: '2bb80d53' },
  status: 302,
  statusText: 'Found',
  durationMs: 12,
  responseHeaders: [
    { name: 'Set-Cookie', value: 'a=secret; Path=/; HttpOnly' },
    { name: 'Location', value: '/next?token=secret' },
  ],
};

it('masks values of queries, cookies, other headers and bodies', () => {
  const har = JSON.stringify(
    toHar(
      { browser: 'Chromium 141.0', scanner: 'Service-Scanner' },
      [{ number: 1, url: 'https://shop.example/?q=secret', startedAt: EXCHANGE.startedAt }],
      [EXCHANGE],
    ),
  );
  expect(har).not.toContain('secret');
  expect(har).toContain('https://t.example/collect?uid=6:2bb80d53');
  expect(har).toContain('"browser":{"name":"Chromium","version":"141.0"}');
});

it('keeps the attributes of cookies, and harmless headers', () => {
  expect(maskHeader({ name: 'set-cookie', value: 'a=secret; Path=/; Secure' }).value).toBe(
    'a=6:2bb80d53; Path=/; Secure',
  );
  expect(maskHeader({ name: 'Accept', value: '*/*' }).value).toBe('*/*');
});

it('leaves addresses out that are none', () => {
  expect(maskAddress('data:text/plain,secret')).toBe('data:…');
  expect(maskAddress('nonsense')).toBe('');
});
