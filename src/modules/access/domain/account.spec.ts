import { expect, it } from '@jest/globals';
import { EMAIL } from './account.js';
import { generateToken, INVITATION_LIFE_MS, LINK_LIFE_MS, linkTo, TOKEN } from './account-link.js';

const HOUR = 3_600_000;

it.each(['a@example.com', "o'neil+shop@mail.example.co.uk", 'x_1.y-2@a1.b-2.example'])(
  '%s is an address',
  (text) => {
    expect(text).toMatch(EMAIL);
  },
);

it.each([
  '',
  'a',
  'a@example',
  'a@example.c',
  '@example.com',
  'a..b@example.com',
  '.a@example.com',
  "a'@example.com",
  'a b@example.com',
  'a@-example.com',
  'a@example..com',
  'a@example.com ',
  ' a@example.com',
  'a@example.c0m',
  'ä@example.com',
])('%j is no address', (text) => {
  expect(text).not.toMatch(EMAIL);
});

it('a link leads to its page with a token of 43 characters, and lasts for hours', () => {
  const token = generateToken();
  expect(token).toMatch(TOKEN);
  expect(generateToken()).not.toBe(token);
  expect(`${token}x`).not.toMatch(TOKEN);
  expect(linkTo('https://consent.example.com', '/new-password', 't')).toBe(
    'https://consent.example.com/new-password?token=t',
  );
  expect(LINK_LIFE_MS).toEqual({ sign_up: 24 * HOUR, reset_password: HOUR, change_email: HOUR });
  expect(INVITATION_LIFE_MS).toBe(7 * 24 * HOUR);
});
