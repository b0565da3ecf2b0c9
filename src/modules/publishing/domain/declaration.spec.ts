import { describe, expect, it } from '@jest/globals';
import { DEFAULT_CONFIGURATION } from './configuration.js';
import { declarations } from './declaration.js';

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
