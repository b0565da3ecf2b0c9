import { expect, it } from '@jest/globals';
import { blockingPolicy } from './blocking-policy.js';

const SERVICE = 'https://consent.example.com';

it('allows the page, the service and necessary hosts before consent, and lists the others by category', () => {
  expect(
    blockingPolicy(
      [
        { host: 'captcha.example.net', path: null, category: 'necessary' },
        { host: 'example.net', path: null, category: 'marketing' },
        { host: 'example.org', path: '/a;b,c/', category: 'analytics' },
      ],
      SERVICE,
    ),
  ).toEqual({
    beforeConsent:
      `default-src 'self' 'unsafe-inline' data: blob: ${SERVICE} captcha.example.net *.captcha.example.net; ` +
      `form-action 'self' ${SERVICE} captcha.example.net *.captcha.example.net`,
    byCategory: {
      preferences: [],
      analytics: ['example.org/a%3Bb%2Cc/', '*.example.org/a%3Bb%2Cc/'],
      marketing: ['example.net', '*.example.net'],
    },
    leftOut: [],
  });
});

it.each(['/tr', '/a*/', '/a?b/'])('leaves out the path %s, which a policy matches otherwise', (path) => {
  const rule = { host: 'example.net', path, category: 'necessary' } as const;
  expect(blockingPolicy([rule], SERVICE)).toMatchObject({
    beforeConsent: expect.not.stringContaining('example.net'),
    leftOut: [rule],
  });
});

it.each(['example.net', 'ads.example.net', 'net'])(
  'leaves out a host where an earlier rule gives %s to another category',
  (host) => {
    const earlier = { host, path: '/', category: 'marketing' } as const;
    const later = { host: 'example.net', path: null, category: 'analytics' } as const;
    expect(blockingPolicy([earlier, later], SERVICE)).toMatchObject({
      byCategory: { marketing: [`${host}/`, `*.${host}/`], analytics: [] },
      leftOut: [later],
    });
  },
);

it('names a host once', () => {
  const rule = { host: 'example.net', path: null, category: 'analytics' } as const;
  expect(blockingPolicy([rule, rule], SERVICE).byCategory.analytics).toEqual([
    'example.net',
    '*.example.net',
  ]);
});
