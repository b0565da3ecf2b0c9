import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { parseChoice, readChoice } from './choice-cookie.js';

const VALUE = 'v1.101.1764000000.2026-01';
const CHOICE = {
  analytics: true,
  marketing: false,
  preferences: true,
  chosenAt: new Date(1764000000 * 1000),
  policyVersion: '2026-01',
  services: {},
};

describe('parseChoice', () => {
  it('reads flags, time and policy version', () => {
    expect(parseChoice(VALUE)).toEqual(CHOICE);
    expect(parseChoice('v1.010.0.1')).toEqual({
      analytics: false,
      marketing: true,
      preferences: false,
      chosenAt: new Date(0),
      policyVersion: '1',
      services: {},
    });
    expect(parseChoice('v2.001.1764000000.2026.01~matomo.google-ads')).toEqual({
      analytics: false,
      marketing: false,
      preferences: true,
      chosenAt: new Date(1764000000 * 1000),
      policyVersion: '2026.01',
      services: { matomo: true, 'google-ads': true },
    });
  });

  it.each([
    ['v1.000.1764000000.2026.01', '2026.01'],
    ['v1.000.1764000000.a_b-c', 'a_b-c'],
    ['v1.000.1764000000.%61', 'a'],
    [`v1.000.1764000000.${'x'.repeat(64)}`, 'x'.repeat(64)],
  ])('reads the policy version of %s', (value, policyVersion) => {
    expect(parseChoice(value)).toMatchObject({ policyVersion });
  });

  it.each([
    ['nothing', ''],
    ['another version', 'v3.101.1764000000.1~matomo'],
    ['no services', 'v2.101.1764000000.1'],
    ['an empty service', 'v2.101.1764000000.1~matomo..meta'],
    ['a service that is no slug', 'v2.101.1764000000.1~-meta'],
    ['services of the older version', 'v1.101.1764000000.1~matomo'],
    ['a flag that is no digit', 'v1.1x1.1764000000.1'],
    ['a flag of 2', 'v1.121.1764000000.1'],
    ['two flags', 'v1.10.1764000000.1'],
    ['four flags', 'v1.1010.1764000000.1'],
    ['a negative time', 'v1.101.-1.1'],
    ['an exponent', 'v1.101.1e9.1'],
    ['a time of 11 digits', 'v1.101.17640000000.1'],
    ['no time', 'v1.101..1'],
    ['full-width digits', 'v1.101.１764000000.1'],
    ['no policy version', 'v1.101.1764000000.'],
    ['no policy version and no dot', 'v1.101.1764000000'],
    ['a policy version of 65 characters', `v1.101.1764000000.${'x'.repeat(65)}`],
    ['a broken escape', 'v1.101.1764000000.%'],
    ['invalid UTF-8', 'v1.101.1764000000.%ff'],
    ['an encoded separator', 'v1.101.1764000000.a%3Bb'],
    ['markup', 'v1.101.1764000000.%3Cscript%3E'],
    ['a line end', 'v1.101.1764000000.1\n'],
    ['an encoded line end', 'v1.101.1764000000.1%0a'],
    ['blanks', ' v1.101.1764000000.1'],
    ['quotes', '"v1.101.1764000000.1"'],
    ['a very long value', `v1.101.1764000000.${'%61'.repeat(100_000)}`],
  ])('is null for %s', (_, value) => {
    expect(parseChoice(value)).toBeNull();
  });

  it('never throws, and returns only what is well-formed', () => {
    const pieces = fc.constantFrom(
      'v1',
      '.',
      '101',
      '0',
      '1764000000',
      '%',
      '%ff',
      '%00',
      ';',
      'é',
      'x',
      '-',
    );
    const values = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.array(pieces).map((parts) => parts.join('')),
    );
    fc.assert(
      fc.property(values, (value) => {
        const choice = parseChoice(value);
        if (choice === null) return;
        expect(choice.policyVersion).toMatch(/^[A-Za-z0-9_.-]{1,64}$/);
        expect(Number.isSafeInteger(choice.chosenAt.getTime())).toBe(true);
      }),
    );
  });
});

describe('readChoice', () => {
  it('finds the cookie among others', () => {
    expect(readChoice(`a=b; service-consent=${VALUE}; c=d`)).toEqual(CHOICE);
    expect(readChoice(`__Host-service-consent=${VALUE}`)).toEqual(CHOICE);
    expect(readChoice(`a=b;service-consent=${VALUE}`)).toEqual(CHOICE);
  });

  it('prefers the cookie that only the host itself can set, also where its value is malformed', () => {
    const refused = 'v1.000.1764000000.2026-01';
    expect(readChoice(`service-consent=${VALUE}; __Host-service-consent=${refused}`)).toMatchObject({
      analytics: false,
    });
    expect(readChoice(`service-consent=${VALUE}; __Host-service-consent=x`)).toBeNull();
  });

  it('takes two cookies of one name only where they agree', () => {
    expect(readChoice(`service-consent=${VALUE}; service-consent=${VALUE}`)).toEqual(CHOICE);
    expect(readChoice(`service-consent=${VALUE}; service-consent=v1.000.1.1`)).toBeNull();
  });

  it.each([
    ['no header', undefined],
    ['null', null],
    ['an empty header', ''],
    ['other cookies', `xservice-consent=${VALUE}; service-consent2=${VALUE}; SERVICE-CONSENT=${VALUE}`],
    ['a name without value', 'service-consent'],
    ['a header that is too long', `service-consent=${VALUE}; ${'x'.repeat(64 * 1024)}`],
    ['something that is no string', 7 as never],
  ])('is null for %s', (_, header) => {
    expect(readChoice(header)).toBeNull();
  });
});
