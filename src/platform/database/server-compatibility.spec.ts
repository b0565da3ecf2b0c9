import { describe, expect, it } from '@jest/globals';
import { POSTGRES_OLDEST, incompatibilitySentence } from './server-compatibility.js';

describe(incompatibilitySentence.name, () => {
  const good = { encoding: 'UTF8', schema: 'public' };

  it('refuses what is older than the oldest that is tested, and says both', () => {
    expect(POSTGRES_OLDEST).toBe(15);
    expect(incompatibilitySentence({ ...good, version: 149_999 })).toBe(
      'The database runs PostgreSQL 14, but the service requires 15 or later. Upgrade it, or set the URL of another server ' +
        '(docs/deploy.md).',
    );
    expect(incompatibilitySentence({ ...good, version: 90_624 })).toContain('PostgreSQL 9,');
  });

  it('takes the oldest and every later one', () => {
    for (const version of [150_000, 180_004, 200_000])
      expect(incompatibilitySentence({ ...good, version })).toBeNull();
  });

  it('refuses a place for tables that is not looked into, and tells which', () => {
    expect(incompatibilitySentence({ version: 180_004, encoding: 'UTF8', schema: 'app' })).toBe(
      'This role creates tables in the schema app, but the tables of the service are in public. Set it to public with ' +
        '"alter role … set search_path = public, bullmq".',
    );
  });
});
