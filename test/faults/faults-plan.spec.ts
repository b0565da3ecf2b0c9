import { describe, expect, it } from '@jest/globals';
import { BREAKS } from './break-list.js';
import { mutatedPrograms } from './build.js';
import { FAULT_KINDS, planRounds } from './plan.js';

const SHORT = { rounds: FAULT_KINDS.length, short: true, kinds: FAULT_KINDS };
const LONG = { rounds: 50, short: false, kinds: FAULT_KINDS };

describe('plan of the fault lab', () => {
  it('is decided by its seed alone', () => {
    expect(planRounds({ ...LONG, seed: 7 })).toEqual(planRounds({ ...LONG, seed: 7 }));
    expect(planRounds({ ...LONG, seed: 7 })).not.toEqual(planRounds({ ...LONG, seed: 8 }));
  });

  it.each([0, 1, 2 ** 31])('has every fault in a short run, each once (seed %i)', (seed) => {
    const kinds = planRounds({ ...SHORT, seed }).map(({ kind }) => kind);
    expect(kinds.toSorted()).toEqual([...FAULT_KINDS].toSorted());
  });

  it.each([0, 1, 2 ** 31])(
    'kills each part at least three times in a long run, and stops a worker for 30 s once',
    (seed) => {
      const rounds = planRounds({ ...LONG, seed });
      for (const kind of FAULT_KINDS) {
        const times = rounds.filter((round) => round.kind === kind).length;
        expect(times).toBeGreaterThanOrEqual(kind.startsWith('kill-') ? 3 : 1);
      }
      expect(rounds.filter(({ holdMs }) => holdMs === 30_000).map(({ kind }) => kind)).toEqual([
        'stop-worker',
      ]);
    },
  );
});

describe('broken builds of the fault lab', () => {
  it.each(BREAKS)('$name: fits the sources', ({ mutations }) => {
    expect(mutatedPrograms(mutations).size).toBeGreaterThan(0);
  });
});
