import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { NAMESPACES, readSettings } from '../../src/programs/settings.js';
import { envExample, withSettingsTable } from '../../src/programs/settings-text.js';
import type { Setting } from '../../src/platform/settings/declare-settings.js';

const text = readFileSync('.env.example', 'utf8');
const page = readFileSync('docs/settings.md', 'utf8');
const shown = new Map(
  [...text.matchAll(/^#([A-Z_]+)=(.*)$/gm)].map((match) => [match[1] ?? '', match[2] ?? '']),
);
const declared = NAMESPACES.flatMap(({ settings }) => Object.values(settings) as Partial<Setting<unknown>>[]);
const names = declared.flatMap(({ name }) => name ?? []);

describe('the documents of the settings', () => {
  it('are generated from the declarations by "npm run generate -- settings"', () => {
    expect(text).toBe(envExample(NAMESPACES));
    expect(page).toBe(withSettingsTable(page, NAMESPACES));
  });

  it('name every setting that is read, and no other', () => {
    const asked = new Set<string>();
    const spy = new Proxy({}, { get: (_, name) => void asked.add(String(name)) });
    readSettings(spy);
    expect([...asked].toSorted()).toEqual(names.flatMap((name) => [name, `${name}_FILE`]).toSorted());
    expect([...shown.keys()]).toEqual(names);
    for (const name of names) expect(page).toContain(`\n| \`${name}\` `);
  });

  it('declare no name twice', () => {
    expect(new Set(names).size).toBe(names.length);
  });
});

describe('.env.example', () => {
  it('shows the defaults', () => {
    const left = [
      'CONTACT_URL',
      'CUSTOM_DOMAIN_TARGET',
      'DATABASE_URL',
      'EVIDENCE_HEADS_URL',
      'EVIDENCE_KEYS',
      'EVIDENCE_TIMESTAMP_URL',
      'MAIL_URL',
      'PUBLIC_BASE_URL',
      'SECRET_KEYS',
      'REDIS_URL',
    ];
    const defaults = Object.fromEntries([...shown].filter(([name]) => !left.includes(name)));
    expect(readSettings(defaults)).toEqual(readSettings({}));
  });

  it('sets nothing by itself', () => {
    expect(text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))).toEqual([]);
  });
});
