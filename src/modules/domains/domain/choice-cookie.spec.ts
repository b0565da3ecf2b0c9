import { describe, expect, it } from '@jest/globals';
import { choiceCookies, cookieSeconds } from './choice-cookie.js';

const AT = new Date(1_764_000_000_999);
const CHOICE = { analytics: true, marketing: false, preferences: true, at: AT, policyVersion: '2026-01' };
const RULES = { shared: false, reconsentMonths: 12, policyVersion: '2' };
const YEAR = 365 * 86_400;
const VALUE = 'v1.101.1764000000.2026-01';

describe('choiceCookies', () => {
  it('sets a cookie that only the host can set, and deletes a shared one', () => {
    expect(choiceCookies(CHOICE, { rules: RULES, host: 'www.shop.co.uk' })).toEqual([
      `__Host-service-consent=${VALUE}; Path=/; Secure; SameSite=Lax; Max-Age=${YEAR}`,
      'service-consent=; Path=/; Secure; SameSite=Lax; Max-Age=0; Domain=shop.co.uk',
    ]);
  });

  it('sets one for the registrable domain where the choice is shared', () => {
    const rules = { ...RULES, shared: true };
    expect(choiceCookies(CHOICE, { rules, host: 'www.shop.co.uk' })).toEqual([
      `service-consent=${VALUE}; Path=/; Secure; SameSite=Lax; Max-Age=${YEAR}; Domain=shop.co.uk`,
      '__Host-service-consent=; Path=/; Secure; SameSite=Lax; Max-Age=0',
    ]);
  });

  it.each([null, 'github.io', 'localhost'])('is the host’s own on %s, whatever is shared', (host) => {
    const rules = { ...RULES, shared: true };
    expect(choiceCookies(CHOICE, { rules, host })).toEqual([
      `__Host-service-consent=${VALUE}; Path=/; Secure; SameSite=Lax; Max-Age=${YEAR}`,
    ]);
  });

  it('has the policy version in force where the choice names none, or no sane one', () => {
    for (const policyVersion of [null, '', 'a;b', 'x'.repeat(65), 'a\r\nSet-Cookie: b'])
      expect(choiceCookies({ ...CHOICE, policyVersion }, { rules: RULES, host: null })[0]).toContain(
        '=v1.101.1764000000.2;',
      );
  });

  it('has the accepted services where some were refused, within 1 kB', () => {
    const valueOf = (services: Record<string, boolean>): string | undefined =>
      /=([^;]*)/.exec(choiceCookies({ ...CHOICE, services }, { rules: RULES, host: null })[0] ?? '')?.[1];
    expect(valueOf({ matomo: true, meta: false, 'google-ads': true })).toBe(
      'v2.101.1764000000.2026-01~matomo.google-ads',
    );
    expect(valueOf({ matomo: true })).toBe(VALUE);
    expect(valueOf({ matomo: false })).toBe(VALUE);
    const many = Object.fromEntries(Array.from({ length: 99 }, (_, n) => [`${'s'.repeat(37)}${n}`, true]));
    expect(valueOf({ ...many, meta: false })).toBe(VALUE);
  });

  it('deletes both', () => {
    expect(choiceCookies(null, { rules: RULES, host: 'www.shop.example' })).toEqual([
      '__Host-service-consent=; Path=/; Secure; SameSite=Lax; Max-Age=0',
      'service-consent=; Path=/; Secure; SameSite=Lax; Max-Age=0; Domain=shop.example',
    ]);
  });

  it('lasts as long as the choice counts, at most 400 days', () => {
    expect(cookieSeconds(1)).toBe(30 * 86_400);
    expect(cookieSeconds(13)).toBe(396 * 86_400);
    expect(cookieSeconds(14)).toBe(400 * 86_400);
  });
});
