import { describe, expect, it } from '@jest/globals';
import { checkHostname, isWithinProject } from './hostname-rules.js';

const RULES = {
  projectDomains: ['www.shop.example', 'shop.co.uk', 'me.github.io'],
  ownHosts: ['consent.example.com', 'edge.example.com'],
};
const check = (text: string, projectDomains = RULES.projectDomains): unknown => {
  const checked = checkHostname(text, { ...RULES, projectDomains });
  return checked.kind === 'accepted' ? checked.hostname : checked.reason;
};

describe('a hostname', () => {
  it.each([
    ['consent.shop.example', 'consent.shop.example'],
    ['  Consent.SHOP.example. ', 'consent.shop.example'],
    ['shop.example', 'shop.example'],
    ['a.b.shop.co.uk', 'a.b.shop.co.uk'],
    ['consent.me.github.io', 'consent.me.github.io'],
    ['a.b.c.d.e.shop.example', 'a.b.c.d.e.shop.example'],
    ['a.b.c.d.e.shop.co.uk', 'a.b.c.d.e.shop.co.uk'],
  ])('%j is accepted', (text, hostname) => {
    expect(check(text)).toBe(hostname);
  });

  it.each([
    ['', 'not_a_hostname'],
    ['https://consent.shop.example', 'not_a_hostname'],
    ['consent.shop.example:443', 'not_a_hostname'],
    ['*.shop.example', 'not_a_hostname'],
    ['192.0.2.1', 'not_a_hostname'],
    ['0x7f.1', 'not_a_hostname'],
    ['2130706433', 'not_a_hostname'],
    ['[::1]', 'not_a_hostname'],
    ['localhost', 'not_a_hostname'],
    ['a_b.shop.example', 'not_a_hostname'],
    ['co.uk', 'public_suffix'],
    ['github.io', 'public_suffix'],
    ['a.b.c.d.e.f.shop.example', 'too_many_labels'],
    ['a.b.c.d.e.f.shop.co.uk', 'too_many_labels'],
    ['consent.example.com', 'own_host'],
    ['x.edge.example.com', 'own_host'],
    ['shop.webflow.io', 'preview_host'],
    ['consent.other.example', 'outside_project'],
    ['other.co.uk', 'outside_project'],
    ['you.github.io', 'outside_project'],
    ['evilshop.example', 'outside_project'],
  ])('%j is refused: %s', (text, reason) => {
    expect(check(text)).toBe(reason);
  });

  it('needs a domain of the project', () => {
    expect(check('consent.shop.example', [])).toBe('outside_project');
    expect(isWithinProject('consent.shop.example', ['other.example'])).toBe(false);
  });
});
