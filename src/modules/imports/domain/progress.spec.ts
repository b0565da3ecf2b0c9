import { expect, it } from '@jest/globals';
import { advance, emptyProgress } from './progress.js';

it('forgets attempts without a batch as soon as a batch is stored', () => {
  const idle = { ...emptyProgress(), idleTries: 2 };
  const batch = {
    position: { ...idle.position, row: 500 },
    bytesRead: 1_000,
    refusals: [],
    unmapped: [],
    dropped: new Map<string, number>(),
    sample: [],
  };
  expect(advance(idle, batch)).toEqual({ ...emptyProgress(), position: batch.position, bytesRead: 1_000 });
});
