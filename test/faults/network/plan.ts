import { planRounds, type Round } from '../plan.js';
import { Random } from '../random.js';
import { drawLink, drawTarget, type Link, type Target } from './parts.js';

/** The faults of the network lab. */
export const NETWORK_KINDS = [
  'partition',
  'partition-one-way',
  'cut-off',
  'delay',
  'loss',
  'duplicate',
  'half-open',
  'dns-away',
  'slow-disk',
  'worker-clock-ahead',
  'worker-clock-behind',
  'database-clock-ahead',
  'database-clock-behind',
  'primary-cut-off',
  'primary-unfenced',
  'switchover',
  'pgbouncer-restart',
  'redis-empty',
] as const;
export type NetworkKind = (typeof NETWORK_KINDS)[number];

/** Faults of links and parts have many variants, so they are drawn more often. */
const COPIES: Partial<Record<NetworkKind, number>> = {
  partition: 6,
  'partition-one-way': 4,
  'cut-off': 4,
  delay: 4,
  loss: 4,
  duplicate: 3,
  'half-open': 5,
};
/** Long enough for a health check to fail, and for a statement to run into its timeout. */
const HOLD_MS = { short: { from: 2_000, to: 3_000 }, long: { from: 2_000, to: 9_000 } };

export interface NetworkRound extends Round<NetworkKind> {
  link: Link;
  part: Target;
  /** For the report: the affected parts. */
  met: string;
}

/** The rounds, determined by the seed. */
export function planNetworkRounds(options: {
  seed: number;
  rounds: number;
  short: boolean;
  kinds: readonly NetworkKind[];
}): NetworkRound[] {
  const rounds = planRounds({
    ...options,
    copies: COPIES,
    holdMs: HOLD_MS[options.short ? 'short' : 'long'],
  });
  // A separate generator, so that a change to the links does not change the order of the faults.
  const random = new Random(options.seed);
  return rounds.map((round) => {
    const drawn = { ...round, link: drawLink(random), part: drawTarget(random) };
    return { ...drawn, met: meets(drawn).join(' ') };
  });
}

/** The parts that the round affects. */
export function meets({ kind, link, part }: Omit<NetworkRound, 'met'>): readonly Target[] {
  switch (kind) {
    case 'partition':
    case 'partition-one-way':
    case 'half-open':
      return link;
    case 'cut-off':
    case 'delay':
    case 'loss':
    case 'duplicate':
      return [part];
    case 'dns-away':
      return ['dns'];
    case 'slow-disk':
    case 'primary-cut-off':
    case 'primary-unfenced':
    case 'switchover':
      return ['primary'];
    case 'pgbouncer-restart':
      return ['bouncer'];
    case 'redis-empty':
      return ['redis'];
    case 'worker-clock-ahead':
    case 'worker-clock-behind':
    case 'database-clock-ahead':
    case 'database-clock-behind':
      return [];
  }
}
