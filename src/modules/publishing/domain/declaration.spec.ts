import { describe, expect, it } from '@jest/globals';
import { DEFAULT_CONFIGURATION } from './configuration.js';
import { declarations } from './declaration.js';
import { declarationPage, withOwnChoice } from './declaration-page.js';

describe('declarations', () => {
  const banner = { ...DEFAULT_CONFIGURATION.banner, enabled: true };
  const source = { ...DEFAULT_CONFIGURATION, banner, services: [], controller: { name: 'A shop' } };

  it('list what our own banner stores as necessary, with purpose and lifetime', () => {
    const [declaration] = declarations(source);
    expect(declaration?.categories).toMatchObject([
      {
        rows: [
          {
            service: 'Choice of cookies',
            provider: 'A shop',
            cookie: {
              name: 'service-consent',
              purpose: 'Stores which categories you allowed, when, and the version of the policy.',
              duration: '12 months',
            },
          },
        ],
      },
    ]);
  });

  it('list nothing of ours where the site brings its own banner', () => {
    const own = { ...source, banner: { ...banner, enabled: false } };
    expect(declarations(own)[0]?.categories).toEqual([]);
  });
});

describe('the page', () => {
  const banner = {
    ...DEFAULT_CONFIGURATION.banner,
    enabled: true,
    accent: '#1f4d3a',
    theme: 'light' as const,
  };
  const source = { ...DEFAULT_CONFIGURATION, banner };
  const frame = {
    banner: { ...banner, logo: 'logo-0a.png' },
    controller: { name: 'Tea & Co', contact: 'Long Street 1, Hamburg' },
    policyVersion: '7',
    policyUrl: 'https://www.tea.example/privacy?x',
    updatedAt: new Date('2026-11-26T23:30:00Z'),
  };
  const page = declarationPage(declarations(source), frame);

  it('names the controller, the date and the version, and leads to the site for a change', () => {
    expect(page).toContain('<h2>Responsible</h2>Tea &amp; Co');
    expect(page).toContain('<h2>Contact</h2>Long Street 1, Hamburg');
    expect(page).toContain('<h2>Last updated</h2>November 26, 2026, version 7');
    expect(page).toContain('<a href="https://www.tea.example/" rel="noopener">You can change your choice');
  });

  it('has the colors of the banner in its theme only, and its logo', () => {
    expect(page).toContain(
      ':root{color-scheme:light;--corner:9px;--round:12px;--brand:#1f4d3a;--brand-on:#ffffff;',
    );
    expect(page).not.toContain('@media(prefers-color-scheme:dark){:root');
    expect(page).toContain('<img src="logo-0a.png" alt="Tea &amp; Co">');
  });

  it('has the corners of the banner’s buttons, and a little rounder ones of cards', () => {
    expect(page).toContain('--corner:9px;--round:12px;');
    const square = { ...frame, banner: { ...frame.banner, radius: 0 } };
    expect(declarationPage(declarations(source), square)).toContain('--corner:0px;--round:0px;');
  });

  it('has scripts, and allows them, on the site’s own host only', () => {
    expect(page).not.toMatch(/<script|script-src/);
    const own = withOwnChoice(page);
    expect(own).toContain(
      "content=\"script-src 'self'; connect-src 'self'; default-src &#39;none&#39;; style-src",
    );
    expect(own).toMatch(
      /<script src="loader.js"><\/script>\n<script src="declaration.js"><\/script>\n<\/body>/,
    );
  });
});
