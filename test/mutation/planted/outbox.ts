import type { Planted } from '../planted.js';

const OUTBOX = 'test/outbox/outbox.int';
const THROTTLE = 'test/outbox/claim-throttle';
const ROTATION = 'test/outbox/partition-rotation';

/** Defects of `src/platform/outbox`. */
export const OUTBOX_DEFECTS: Planted[] = [
  {
    name: 'outbox: a moved message exchanges its counts',
    mutations: [
      {
        symbol: 'OutboxPartitions.moveForward',
        from: /abandoned_attempts, failures, last_error, created_at\s+from moved/,
        to: 'failures, abandoned_attempts, last_error, created_at from moved',
      },
    ],
    tests: [ROTATION],
    only: 'as it is',
  },
  ...['forgetSubjects', 'deleteAbout', 'deleteOfProject'].map((symbol) => ({
    name: `outbox: messages move during ${symbol}`,
    mutations: [{ symbol, from: /await lockMoves\(tx\);/, to: '' }],
    tests: [ROTATION],
    only: 'moves nothing while',
  })),
  {
    name: 'outbox: a revived dead letter is new',
    mutations: [
      {
        symbol: 'OutboxStore.revive',
        from: /payload, created_at from revived/,
        to: 'payload, now() from revived',
      },
    ],
    tests: [OUTBOX],
    only: 'revives a dead letter',
  },
  {
    name: 'outbox: a dead letter is new',
    mutations: [{ symbol: 'OutboxStore.deadLetter', from: /created_at\s+from dead/, to: 'now() from dead' }],
    tests: [OUTBOX],
    only: 'revives a dead letter',
  },
  {
    name: 'outbox: reports a failure whose lease was lost',
    mutations: [
      {
        symbol: 'OutboxSettler.writeFailure',
        from: /if \(await change\(tx\)\)/,
        to: 'await change(tx);',
      },
    ],
    tests: [OUTBOX],
    only: 'reports no failure',
  },
  {
    name: 'outbox: numbers a message beside a throttled one',
    mutations: [
      {
        symbol: 'claimStatement',
        from: / and \$\{isThrottled\(throttledTopics, 'claimed\.topic'\)\}/,
        to: '',
      },
    ],
    tests: [THROTTLE],
    only: 'numbers what it lets through',
  },
  ...['newestSubjects', 'waitingSubjectsOfKeys'].map((symbol) => ({
    name: `outbox: ${symbol} finds the oldest`,
    mutations: [{ symbol, from: /order by id desc/, to: 'order by id' }],
    tests: [OUTBOX],
    only: 'finds the newest',
  })),
  {
    name: 'outbox: counts the newest messages',
    mutations: [
      {
        symbol: 'countWaiting',
        file: 'queued-messages.ts',
        from: /order by id limit/,
        to: 'order by id desc limit',
      },
    ],
    tests: [OUTBOX],
    only: 'finds the newest',
  },
];
