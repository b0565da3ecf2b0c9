import { describe, expect, it } from '@jest/globals';
import { isUuidV7, uuidTimeMs } from '../../../platform/identity/ids.js';
import { importedId } from './imported-id.js';

const source = {
  projectId: '01938c5e-7a3b-7c11-9f00-2b5e8d3c4a1f',
  profile: 'generic',
  originalId: 'c-1',
  givenAt: new Date('2026-05-01T10:00:00.123Z'),
} as const;

describe(importedId.name, () => {
  it('is a UUIDv7 of the original time, and always the same', () => {
    const id = importedId(source);
    expect(isUuidV7(id)).toBe(true);
    expect(uuidTimeMs(id)).toBe(source.givenAt.getTime());
    expect(importedId({ ...source })).toBe(id);
    expect(importedId({ ...source, givenAt: new Date('2000-01-01T00:00:00Z') })).toMatch(/^00dc6acf-ac00-7/);
  });

  it.each([
    { projectId: '01938c5e-7a3b-7c11-9f00-2b5e8d3c4a1e' },
    { profile: 'didomi' as const },
    { originalId: 'c-2' },
    { givenAt: new Date('2026-05-01T10:00:00.124Z') },
  ])('differs with %j', (other) => {
    expect(importedId({ ...source, ...other }).slice(13)).not.toBe(importedId(source).slice(13));
  });
});
