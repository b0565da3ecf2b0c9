import { describe, expect, it } from '@jest/globals';
import { BREAKS } from './break-list.js';
import { mutatedPrograms } from './build.js';
import { LINKS, TARGETS } from './network/parts.js';
import { NETWORK_KINDS, planNetworkRounds } from './network/plan.js';
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

describe('plan of the network lab', () => {
  const plan = (seed: number, rounds: number, short = false) =>
    planNetworkRounds({ seed, rounds, short, kinds: NETWORK_KINDS });

  it('is decided by its seed alone', () => {
    expect(plan(7, 50)).toEqual(plan(7, 50));
    expect(plan(7, 50)).not.toEqual(plan(8, 50));
  });

  it('has every fault in a short run, each once', () => {
    const kinds = plan(1, NETWORK_KINDS.length, true).map(({ kind }) => kind);
    expect(kinds.toSorted()).toEqual([...NETWORK_KINDS].toSorted());
  });

  it('meets every part, and every connection in both directions, in 1,000 rounds', () => {
    const rounds = plan(1, 1_000);
    const met = new Set(rounds.map(({ part }) => part));
    expect(TARGETS.filter((part) => !met.has(part))).toEqual([]);
    const links = new Set(rounds.map(({ link }) => link.join(' ')));
    expect(links.size).toBe(2 * LINKS.length);
  });
});

describe('broken builds of the fault lab', () => {
  it.each(BREAKS)('$name: fits the sources', ({ mutations }) => {
    expect(mutatedPrograms(mutations).size).toBeGreaterThan(0);
  });
});
