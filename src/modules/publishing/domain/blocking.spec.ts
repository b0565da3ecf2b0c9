import { describe, expect, it } from '@jest/globals';
import { CATEGORIES } from './banner-text.js';
import { BLOCKED_HOST, BLOCKED_PATH, blockerData, blockingPolicy } from './blocking.js';
import { type BlockingRule, DEFAULT_CONFIGURATION } from './configuration.js';

const PROJECT = '01a1fb60-3c2a-73bf-9797-72771439104f';

function categoryOf(place: string, rules: BlockingRule[]): string | null {
  const data = blockerData(PROJECT, { ...DEFAULT_CONFIGURATION, blocking: { enabled: true, rules } });
  return data?.rules.find(([pattern]) => new RegExp(pattern).test(place))?.[1] ?? null;
}

describe('a rule', () => {
  it.each([
    ['example.com/', true],
    ['example.com/any/path.js', true],
    ['cdn.example.com/x', true],
    ['a.b.example.com/x', true],
    ['example.com./x', true],
    ['cdn.example.com./x', true],
    ['example.com../x', false],
    ['notexample.com/', false],
    ['example.com.evil.test/', false],
    ['exampleXcom/', false],
    ['other.test/example.com/', false],
    ['other.test/x.example.com/', false],
  ])('for example.com and %s: %s', (place, matches) => {
    expect(categoryOf(place, [{ host: 'example.com', path: null, category: 'marketing' }])).toBe(
      matches ? 'marketing' : null,
    );
  });

  it.each([
    ['/tr', 'example.com/tr', true],
    ['/tr', 'example.com/track', true],
    ['/tr', 'example.com./tr', true],
    ['/tr', 'example.com/x/tr', false],
    ['/*/tr.gif', 'example.com/a/b/tr.gif', true],
    ['/*/tr.gif', 'example.com/tr.gif', false],
    ['/a+b(c)', 'example.com/a+b(c)', true],
    ['/a+b(c)', 'example.com/aabc', false],
  ])('for the path %s and %s: %s', (path, place, matches) => {
    expect(categoryOf(place, [{ host: 'example.com', path, category: 'analytics' }]) !== null).toBe(matches);
  });

  it('decides where it is the first that matches', () => {
    const rules: BlockingRule[] = [
      { host: 'example.com', path: '/captcha', category: 'necessary' },
      { host: 'example.com', path: null, category: 'marketing' },
      { host: 'other.test', path: null, category: 'marketing' },
    ];
    expect(categoryOf('example.com/captcha.js', rules)).toBe('necessary');
    expect(categoryOf('example.com/ads.js', rules)).toBe('marketing');
    expect(categoryOf('other.test/', rules)).toBe('marketing');
  });
});

it('keeps the order of rules, also where a category comes again', () => {
  const rules: BlockingRule[] = [
    { host: 'example.com', path: '/a/b', category: 'marketing' },
    { host: 'example.com', path: '/a', category: 'analytics' },
    { host: 'example.com', path: null, category: 'marketing' },
  ];
  expect(categoryOf('example.com/a/b.js', rules)).toBe('marketing');
  expect(categoryOf('example.com/a/c.js', rules)).toBe('analytics');
  expect(categoryOf('example.com/c.js', rules)).toBe('marketing');
  const data = blockerData(PROJECT, { ...DEFAULT_CONFIGURATION, blocking: { enabled: true, rules } });
  expect(data?.rules.map(([, category]) => category)).toEqual(['marketing', 'analytics', 'marketing']);
});

it('embeds nothing where blocking is off', () => {
  expect(blockerData(PROJECT, DEFAULT_CONFIGURATION)).toBeNull();
});

it('embeds what the loader compares a stored choice with', () => {
  const data = blockerData(PROJECT, { ...DEFAULT_CONFIGURATION, blocking: { enabled: true, rules: [] } });
  expect(data).toEqual({
    id: PROJECT,
    policyVersion: '1',
    reconsentMonths: 12,
    rules: [],
    categories: [...CATEGORIES],
    serviceIds: [],
  });
});

it.each([
  [BLOCKED_HOST, 'example.com', true],
  [BLOCKED_HOST, 'localhost', true],
  [BLOCKED_HOST, '127.0.0.1', true],
  [BLOCKED_HOST, 'Example.com', false],
  [BLOCKED_HOST, 'example.com:443', false],
  [BLOCKED_HOST, '*.example.com', false],
  [BLOCKED_HOST, `${'a'.repeat(63)}.com`, true],
  [BLOCKED_HOST, `${'a'.repeat(64)}.com`, false],
  [BLOCKED_PATH, '/', true],
  [BLOCKED_PATH, '/a/b?c=d', true],
  [BLOCKED_PATH, '/*/*', true],
  [BLOCKED_PATH, '/*/*/*', false],
  [BLOCKED_PATH, 'tr', false],
  [BLOCKED_PATH, '/a b', false],
])('%s takes %s: %s', (pattern, text, fits) => {
  expect(pattern.test(text)).toBe(fits);
});

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
