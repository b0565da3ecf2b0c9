import { describe, expect, it } from '@jest/globals';
import { credentialsIn, isOwnRequest, type RequestOrigin } from './credential.js';

const NAME = 'auth.session_token';

describe(credentialsIn.name, () => {
  it.each([
    'auth.session_token=abc.c2ln',
    'auth.session_token=abc.another%3D; j=1',
    'j=1; auth.session_token=abc.c2ln',
    'valueless; auth.session_token = "abc.c2ln"',
    'auth.session_token=%61b%63.c2ln; auth.session_token=other.c2ln',
    'auth.session_token=abc.c2ln; __Host-auth.session_token=other.c2ln; xauth.session_token=y.z',
  ])('finds one session in the cookie %j', (cookie) => {
    expect(credentialsIn({ cookie }, NAME)).toEqual(['session abc']);
  });

  it.each([
    '',
    ';;=;',
    'j=1',
    'auth.session_token=',
    'auth.session_token=unsigned',
    'auth.session_tokens=a.b',
  ])('finds none in the cookie %j', (cookie) => {
    expect(credentialsIn({ cookie }, NAME)).toEqual([]);
  });

  it('takes broken percent-encoding as it stands', () => {
    expect(credentialsIn({ cookie: 'auth.session_token=%E0%A4.sig' }, NAME)).toEqual(['session %E0%A4']);
  });

  it.each(['Bearer ck_1', 'bearer   ck_1'])('finds the key of %j', (authorization) => {
    expect(credentialsIn({ authorization }, NAME)).toEqual(['key ck_1']);
  });

  it('finds no key in a malformed header, and the session beside a key', () => {
    expect(credentialsIn({ authorization: 'Basic x' }, NAME)).toEqual([]);
    expect(credentialsIn({ authorization: 'Bearer k', cookie: `${NAME}=a.b` }, NAME)).toEqual([
      'key k',
      'session a',
    ]);
  });
});

const OWN = 'https://app.example.com';

const post = (fields: Partial<RequestOrigin> = {}): RequestOrigin => ({
  method: 'POST',
  host: 'app.example.com',
  origin: undefined,
  secFetchSite: undefined,
  ...fields,
});

describe('isOwnRequest', () => {
  it.each(['GET', 'HEAD', 'OPTIONS'])('lets a %s come from anywhere', (method) => {
    expect(isOwnRequest(post({ method, origin: 'https://evil.com', secFetchSite: 'cross-site' }), OWN)).toBe(
      true,
    );
  });

  it.each(['POST', 'PUT', 'PATCH', 'DELETE', 'PROPFIND'])('refuses a %s of another origin', (method) => {
    expect(isOwnRequest(post({ method, origin: 'https://evil.com' }), OWN)).toBe(false);
  });

  it.each([
    [OWN, true],
    [undefined, true],
    ['https://app.example.com:8443', false],
    ['http://app.example.com', false],
    ['https://other.example.com', false],
    ['https://app.example.com.evil.com', false],
    ['null', false],
    ['', false],
  ])('judges the Origin %p as %p', (origin, own) => {
    expect(isOwnRequest(post({ origin }), OWN)).toBe(own);
  });

  it.each([
    ['same-origin', true],
    ['none', true],
    ['same-site', false],
    ['cross-site', false],
    ['', false],
  ])('judges Sec-Fetch-Site %p as %p', (secFetchSite, own) => {
    expect(isOwnRequest(post({ origin: OWN, secFetchSite }), OWN)).toBe(own);
  });

  it.each([
    ['http://127.0.0.1:4000', true],
    ['http://127.0.0.1:4001', false],
    ['http://localhost:4000', false],
    ['null', false],
    ['not a url', false],
  ])('compares the Origin %p with the host where the own origin is not configured: %p', (origin, own) => {
    expect(isOwnRequest(post({ host: '127.0.0.1:4000', origin }), '')).toBe(own);
    expect(isOwnRequest(post({ host: undefined, origin }), '')).toBe(false);
  });
});
