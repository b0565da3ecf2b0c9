import { describe, expect, it } from '@jest/globals';
import { credentialsIn } from './credential.js';

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
