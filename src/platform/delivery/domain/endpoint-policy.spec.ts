import { describe, expect, it } from '@jest/globals';
import { parseExceptions } from '../../network/address-policy.js';
import { judgeEndpointUrl } from './endpoint-policy.js';

const none = parseExceptions([]);
const judge = (url: string, exceptions: string[] = []) =>
  judgeEndpointUrl(url, parseExceptions(exceptions)).kind;

describe('judgeEndpointUrl (design §6.5)', () => {
  it.each([
    'https://consents.example.com/hook',
    'https://consents.example.com:8443/hook?tenant=7',
    'https://bücher.example/hook',
    'HTTPS://Consents.Example.com',
    'https://8.8.8.8/hook',
    'https://[2606:4700:4700::1111]/hook',
    'https://consents.example.com:1/',
    'https://consents.example.com:65535/',
    'https://_consents.my-shop.example.com/',
    `https://${'a'.repeat(63)}.example.com/`,
    `https://${`${'a'.repeat(62)}.`.repeat(4)}c/`,
    'https://consents.example.com/?next=https://user@shop.example.com',
  ])('allows %s', (url) => {
    expect(judge(url)).toBe('allowed');
  });

  it.each([
    ['not https (spec §2.2, §7)', 'http://consents.example.com/hook'],
    ['another scheme', 'ftp://consents.example.com/hook'],
    ['no scheme', 'consents.example.com/hook'],
    ['nothing', ''],
    ['a user name', 'https://user@consents.example.com/'],
    ['a user name and a password', 'https://user:pass@consents.example.com/'],
    ['an empty user name', 'https://@consents.example.com/'],
    ['an empty user name and an empty password', 'https://:@consents.example.com/'],
    ['a fragment', 'https://consents.example.com/#part'],
    ['an empty fragment', 'https://consents.example.com/#'],
    ['a space', 'https://consents.example.com/a b'],
    ['a leading space', ' https://consents.example.com/'],
    ['a tab that the parser would drop', 'https://consents.exam\tple.com/'],
    ['a NUL character', 'https://consents.example.com/\u0000'],
    ['a lone surrogate', 'https://consents.example.com/\ud800'],
    ['a backslash', 'https:\\\\consents.example.com/'],
    ['no host', 'https:///'],
    ['a port out of range', 'https://consents.example.com:65536/'],
    ['a trailing dot', 'https://consents.example.com./'],
    ['an empty label', 'https://consents..example.com/'],
    ['port 0', 'https://consents.example.com:0/'],
    ['a wildcard', 'https://*.example.com/'],
    ['a name with other signs', 'https://con(sents).example.com/'],
    ['a label that begins with a hyphen', 'https://-consents.example.com/'],
    ['a label of 64 octets', `https://${'a'.repeat(64)}.example.com/`],
    ['a label of 64 octets in punycode', `https://${'ü'.repeat(60)}.example.com/`],
    ['a name of 254 octets', `https://${`${'a'.repeat(62)}.`.repeat(4)}co/`],
  ])('refuses %s', (_, url) => {
    expect(judgeEndpointUrl(url, none)).toMatchObject({ kind: 'refused', cause: 'malformed' });
  });

  it.each([
    ['a host without a dot', 'https://receiver/hook'],
    ['localhost', 'https://localhost/hook'],
    ['localhost in capitals', 'https://LOCALHOST/hook'],
    ['a name below localhost', 'https://app.localhost/hook'],
    ['.local', 'https://printer.local/hook'],
    ['.internal', 'https://metadata.google.internal/hook'],
    ['loopback', 'https://127.0.0.1/'],
    ['loopback in hexadecimal', 'https://0x7f.1/'],
    ['loopback as one number', 'https://2130706433/'],
    ['loopback in octal', 'https://0177.0.0.1/'],
    ['loopback in full-width digits', 'https://１２７.0.0.1/'],
    ['loopback in circled digits', 'https://①②⑦.0.0.1/'],
    ['loopback with ideographic full stops', 'https://127。0。0。1/'],
    ['loopback in short form', 'https://127.1/'],
    ['loopback of IPv6', 'https://[::1]/'],
    ['v4-mapped loopback', 'https://[::ffff:127.0.0.1]/'],
    ['the cloud metadata address', 'https://169.254.169.254/latest'],
    ['a private network', 'https://10.0.0.7/'],
    ['the unspecified address', 'https://0.0.0.0/'],
  ])('refuses %s', (_, url) => {
    expect(judgeEndpointUrl(url, none)).toMatchObject({ kind: 'refused', cause: 'not_public' });
  });

  it('refuses localhost with a trailing dot', () => {
    expect(judge('https://localhost./')).toBe('refused');
  });

  it.each(['https://consents.example.com./', 'https://consents..example.com/'])(
    'says of %s that a part of its host is empty',
    (url) => {
      expect(judgeEndpointUrl(url, none)).toMatchObject({ reason: expect.stringContaining('an empty part') });
    },
  );

  it('allows 2,048 characters and refuses 2,049', () => {
    const base = 'https://consents.example.com/';
    const url = base + 'a'.repeat(2_048 - base.length);
    expect(judge(url)).toBe('allowed');
    expect(judge(`${url}a`)).toBe('refused');
  });

  it('repeats nothing of the URL in its reason', () => {
    const judgement = judgeEndpointUrl('http://user:secret@10.0.0.7/?key=secret', none);
    expect(JSON.stringify(judgement)).not.toMatch(/secret|10\.0\.0\.7/);
  });
});

describe('exceptions (design §6.5)', () => {
  it.each([
    ['https://127.0.0.1:8443/hook', '127.0.0.1:8443'],
    ['https://localhost:8443/hook', 'localhost:8443'],
    ['https://receiver/hook', 'receiver:443'],
    ['https://[::1]:8443/hook', '[::1]:8443'],
    ['https://10.1.2.3/hook', '10.0.0.0/8'],
    ['https://10.1.2.3/hook', '10.1.2.3'],
    ['https://[fd00::7]/hook', 'fd00::/8'],
    ['https://[fd00::7]/hook', 'fd00::7'],
  ])('allows %s through %s', (url, exception) => {
    expect(judge(url, [exception])).toBe('allowed');
  });

  it.each([
    ['another port', 'https://127.0.0.1:8444/hook', '127.0.0.1:8443'],
    ['another host', 'https://127.0.0.2:8443/hook', '127.0.0.1:8443'],
    ['no https', 'http://127.0.0.1:8443/hook', '127.0.0.1:8443'],
    ['an address outside the range', 'https://192.168.0.1/hook', '10.0.0.0/8'],
    ['the next address', 'https://10.1.2.4/hook', '10.1.2.3'],
    ['the next address of IPv6', 'https://[fd00::8]/hook', 'fd00::7'],
    ['a mapped address of the range', 'https://[::ffff:10.0.0.1]/hook', '10.0.0.0/8'],
  ])('still refuses %s', (_, url, exception) => {
    expect(judge(url, [exception])).toBe('refused');
  });
});
