import { Random } from './random.js';

/** Everything that can happen to the service in a round. */
export const FAULT_KINDS = [
  'kill-api',
  'kill-worker',
  'kill-postgres',
  'kill-redis',
  'stop-api',
  'stop-worker',
  'stop-worker-past-lease',
  'stop-postgres',
  'flush-redis',
  'rotate-outbox',
  'disk-full',
  'storage-away',
  'clock-ahead',
  'clock-behind',
  'database-clock-ahead',
  'database-clock-behind',
  'receiver-hangs',
  'receiver-drips',
  'receiver-resets',
  'receiver-garbage',
  'receiver-floods',
  'receiver-500',
  'receiver-away',
  'retrying-worker-lost',
  'dns-slow',
  'dns-fails',
] as const;
export type FaultKind = (typeof FAULT_KINDS)[number];

/** Of the kinds above. */
const COPIES_IN_THE_BAG: Partial<Record<FaultKind, number>> = {
  'kill-api': 3,
  'kill-worker': 3,
  'kill-postgres': 3,
  'kill-redis': 3,
};
/** The fault comes so long after the round's begin. */
const BEFORE_MS = { from: 300, to: 1_800 };
/** How long the fault lasts, where nothing else decides it. */
const HOLD_MS = { short: { from: 400, to: 1_200 }, long: { from: 500, to: 3_500 } };
/** Once in a long run a worker is stopped for so long. */
const LONG_STOP_MS = 30_000;

export interface Round<Kind extends string = FaultKind> {
  number: number;
  kind: Kind;
  /** Which of the two APIs or workers it meets. */
  target: 0 | 1;
  beforeMs: number;
  holdMs: number;
}

export interface PlanOptions<Kind extends string = FaultKind> {
  seed: number;
  rounds: number;
  short: boolean;
  /** The kinds to draw from. */
  kinds: readonly Kind[];
  /** How often a kind lies in the bag of a long run; one that is not named lies in it once. */
  copies?: Partial<Record<string, number>>;
  holdMs?: { from: number; to: number };
}

/**
 * What happens when, wholly decided by the seed. Kinds are drawn from a bag that is filled again when it is
 * empty, so that each comes about as often as it should. A short run has each kind in it once.
 */
export function planRounds<Kind extends string>({
  seed,
  rounds,
  short,
  kinds,
  copies = COPIES_IN_THE_BAG,
  holdMs = HOLD_MS[short ? 'short' : 'long'],
}: PlanOptions<Kind>): Round<Kind>[] {
  const [first] = kinds;
  if (first === undefined) throw new RangeError('There is no kind of fault to draw from.');
  const random = new Random(seed);
  const bagful = short
    ? kinds
    : kinds.flatMap((kind) => Array.from({ length: copies[kind] ?? 1 }, () => kind));
  let bag: Kind[] = [];
  let longStopsLeft = short ? 0 : 1;
  return Array.from({ length: rounds }, (_, index) => {
    if (bag.length === 0) bag = random.shuffled(bagful);
    const kind = bag.pop() ?? first;
    const hold = random.between(holdMs);
    const isLongStop = kind === 'stop-worker' && longStopsLeft-- > 0;
    return {
      number: index + 1,
      kind,
      target: random.between({ from: 0, to: 1 }) === 0 ? 0 : 1,
      beforeMs: random.between(BEFORE_MS),
      holdMs: isLongStop ? LONG_STOP_MS : hold,
    };
  });
}
