import { expect, it } from '@jest/globals';
import { CONFIGURATION, CONFIGURATION_OF_VISITOR, LOADER, UNKNOWN_PROJECT } from './published-files.js';

it('keeps a configuration for a minute and the loader for an hour, and both for a week where the origin fails', () => {
  expect(CONFIGURATION).toBe('public, max-age=60, stale-while-revalidate=300, stale-if-error=604800');
  expect(LOADER).toBe('public, max-age=3600, stale-while-revalidate=86400, stale-if-error=604800');
});

it('lets no shared cache keep what tells a visitor’s region', () => {
  expect(CONFIGURATION_OF_VISITOR).toBe(
    'private, max-age=60, stale-while-revalidate=300, stale-if-error=604800',
  );
});

it('keeps for half a minute that there is no such project', () => {
  expect(UNKNOWN_PROJECT).toBe('public, max-age=30');
});
