import { describe, expect, it } from '@jest/globals';
import { oldVersionSentence, POSTGRES_OLDEST } from './server-version.js';

describe(oldVersionSentence.name, () => {
  it('refuses what is older than the oldest that is tested, and says both', () => {
    expect(POSTGRES_OLDEST).toBe(15);
    expect(oldVersionSentence(149_999)).toBe(
      'The database is PostgreSQL 14, and the service needs 15 or later. Upgrade it, or set the URL of another one ' +
        '(docs/operations.md).',
    );
    expect(oldVersionSentence(90_624)).toContain('PostgreSQL 9,');
  });

  it('takes the oldest and every later one', () => {
    expect(oldVersionSentence(150_000)).toBeNull();
    expect(oldVersionSentence(180_004)).toBeNull();
    expect(oldVersionSentence(200_000)).toBeNull();
  });
});
