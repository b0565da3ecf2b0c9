import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { readSettings } from '../../src/app/config.js';

const text = readFileSync('.env.example', 'utf8');
const shown = new Map(
  [...text.matchAll(/^#([A-Z_]+)=(.*)$/gm)].map((match) => [match[1] ?? '', match[2] ?? '']),
);

describe('.env.example', () => {
  it('names every setting that src/app/config.ts reads, and no other', () => {
    const asked = new Set<string>();
    const spy = new Proxy(
      {},
      {
        get: (_, name) => {
          asked.add(String(name).replace(/_FILE$/, ''));
          return undefined;
        },
      },
    );
    readSettings(spy);
    // One setting ends in _FILE itself.
    const names = [...asked].map((name) => (name === 'FORWARDING_EXTRA_CA' ? `${name}_FILE` : name));
    expect([...shown.keys()].toSorted()).toEqual([...new Set(names)].toSorted());
  });

  it('shows the defaults', () => {
    const left = ['DATABASE_URL', 'PUBLIC_BASE_URL', 'SECRET_KEYS', 'REDIS_URL'];
    const defaults = Object.fromEntries([...shown].filter(([name]) => !left.includes(name)));
    expect(readSettings(defaults)).toEqual(readSettings({}));
  });

  it('sets nothing by itself', () => {
    expect(text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))).toEqual([]);
  });
});
