import { describe, expect, it } from '@jest/globals';
import { forwardedHost, readProxyHeaders } from './proxy-headers.js';

describe('readProxyHeaders', () => {
  it('reads what a proxy sends', () => {
    const headers = {
      'x-service-visitor-address': '2001:db8::1',
      'x-service-visitor-country': 'US',
      'x-service-visitor-subdivision': 'CA',
      'x-forwarded-host': 'www.shop.example',
      'x-forwarded-prefix': '/consent/',
    };
    expect(readProxyHeaders(headers)).toEqual({
      address: '2001:db8::1',
      country: 'US',
      subdivision: 'CA',
      host: 'www.shop.example',
      prefix: '/consent',
    });
  });

  it('ignores blanks around values', () => {
    const headers = { 'x-service-visitor-address': ' 192.0.2.1 ', 'x-forwarded-prefix': ' /consent/ ' };
    expect(readProxyHeaders(headers)).toMatchObject({ address: '192.0.2.1', prefix: '/consent' });
  });

  it('ignores a header that was sent several times', () => {
    const twice = ['192.0.2.1', '192.0.2.1'];
    expect(readProxyHeaders({ 'x-service-visitor-address': twice, 'x-forwarded-host': twice })).toEqual(
      readProxyHeaders({}),
    );
  });

  it('reads a prefix of 200 characters', () => {
    const prefix = `/${'a'.repeat(199)}`;
    expect(readProxyHeaders({ 'x-forwarded-prefix': prefix }).prefix).toBe(prefix);
  });

  it('leaves out what is missing', () => {
    expect(readProxyHeaders({})).toEqual({
      address: null,
      country: undefined,
      subdivision: undefined,
      host: null,
      prefix: '',
    });
  });

  it.each(['', 'unknown', '198.51.100.7, 192.0.2.1', '198.51.100.7:80', '"><script>'])(
    '%p is no address',
    (address) => {
      expect(readProxyHeaders({ 'x-service-visitor-address': address }).address).toBeNull();
    },
  );

  it.each(['consent', '//evil.example', '/a b', '/a?b', '/a\r\nx: y', `/${'a'.repeat(200)}`])(
    '%p is no prefix',
    (prefix) => {
      expect(readProxyHeaders({ 'x-forwarded-prefix': prefix }).prefix).toBe('');
    },
  );
});

describe('forwardedHost', () => {
  it.each([
    ['WWW.Shop.Example:443', 'www.shop.example'],
    ['shop.example.', 'shop.example'],
    ['shop.example, proxy.example', 'shop.example'],
    ['localhost', 'localhost'],
    [' shop.example , proxy.example', 'shop.example'],
    [`${'a'.repeat(251)}.b`, `${'a'.repeat(251)}.b`],
  ])('%s is %s', (given, host) => {
    expect(forwardedHost({ 'x-forwarded-host': given })).toBe(host);
  });

  it.each([
    '',
    '198.51.100.7',
    '[2001:db8::1]',
    'shop..example',
    'shop.example/x',
    'shop.example:80x',
    `${'a'.repeat(253)}.b`,
  ])('%p is none', (given) => {
    expect(forwardedHost({ 'x-forwarded-host': given })).toBeNull();
  });
});
