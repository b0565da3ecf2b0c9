import type { Planted } from '../planted.js';

const HOLD = 'test/forwarding/hold.e2e';
const OUTBOX = 'test/outbox/outbox.int';
const BOUNDS = 'test/forwarding/forwarding-bounds';
const WATCH = 'test/forwarding/receiver-circuit-breaker';

/** Defects of `src/modules/forwarding` and `src/platform/outbox`. */
export const FORWARDING: Planted[] = [
  {
    name: 'hold: sends mail to an owner with an unconfirmed address',
    mutations: [
      { symbol: 'AccessService.ownersOf', from: /\.where\('app_user\.emailVerified', '=', true\)/, to: '' },
    ],
    tests: [HOLD],
    only: 'told of it once',
  },
  {
    name: 'hold: sends mail to members who are not owners',
    mutations: [
      { symbol: 'AccessService.ownersOf', from: /\.where\('project_member\.role', '=', 'owner'\)/, to: '' },
    ],
    tests: [HOLD],
    only: 'told of it once',
  },
  {
    name: 'outbox: keeps what is queued behind a receiver that fails',
    mutations: [
      {
        symbol: 'OutboxAttempts.attempt',
        from: /if \(!healthy \|\| end\.kind === 'snooze'\)/,
        to: "if (end.kind === 'snooze')",
      },
    ],
    tests: [OUTBOX],
    only: 'gives what it claimed ahead',
  },
  {
    name: 'outbox: keeps what is queued behind a receiver that is put off',
    mutations: [
      {
        symbol: 'OutboxAttempts.attempt',
        from: /if \(!healthy \|\| end\.kind === 'snooze'\)/,
        to: 'if (!healthy)',
      },
    ],
    tests: [OUTBOX],
    only: 'gives what it claimed ahead',
  },
  ...['tested', 'resent'].map((counted) => ({
    name: `forwarding: adds what was ${counted} yesterday to today's count`,
    mutations: [
      {
        symbol: 'addDailyUsage',
        from: new RegExp(`case when [^,]*? then ${counted}_on_day else 0 end`),
        to: `${counted}_on_day`,
      },
    ],
    tests: [BOUNDS],
    only: 'so often a day|so many records again',
  })),
  {
    name: "hold: a success does not restart a worker's own count",
    mutations: [
      { symbol: 'ReceiverCircuitBreaker.record', from: /if \(health\.kind === 'up'\) .*;/, to: '' },
    ],
    tests: [WATCH],
  },
  {
    name: 'forwarding: an extra CA replaces the built-in ones',
    mutations: [{ symbol: 'trustedRootsAnd', from: /\.\.\.defaultRoots\(\), /, to: '' }],
    tests: ['test/forwarding/forwarding-sender'],
    only: 'default authority',
  },
  {
    name: 'fair share: a key that was slow stays slow',
    mutations: [{ symbol: 'FairShare.ended', from: /share\.slow = /, to: 'share.slow ||= ' }],
    tests: ['src/platform/outbox/domain/fair-share'],
  },
  {
    name: 'signing: opens the former secret with the key of the current one',
    mutations: [
      {
        symbol: 'TARGETS',
        file: 'target.rows.ts',
        from: /former_signing_key_id as/,
        to: 'signing_key_id as',
      },
    ],
    tests: ['test/forwarding/signing'],
    only: 'another key encrypted',
  },
  {
    name: 'secrets: re-encryption overwrites a token that was saved meanwhile',
    mutations: [
      { symbol: 'replaceSecret', from: / and \$\{ciphertext\} = \$\{stored\.ciphertext\}/, to: '' },
    ],
    tests: ['test/forwarding/re-encryption'],
  },
  {
    name: 'forwarding: logs a late outcome of an erased record',
    mutations: [
      {
        symbol: 'ConsentForwarder.settleLate',
        from: /logLateDeliveries\(tx, ofRecords\)/,
        to: 'logLateDeliveries(tx, attempted)',
      },
    ],
    tests: ['test/forwarding/settling'],
    only: 'records that are left',
  },
  {
    name: 'retry: queues a probe although a new record waits',
    mutations: [{ symbol: 'RetryScheduler.queueProbe', from: /if \(count === 0\) /, to: '' }],
    tests: ['test/forwarding/retry.e2e'],
    only: 'are no probe',
  },
  {
    name: 'retry: counts a queued retry twice',
    mutations: [
      { symbol: 'ForwardingSettingsService.countPending', from: /retries\.waiting\)/, to: 'retries.count)' },
    ],
    tests: ['test/forwarding/retry.e2e'],
    only: 'are no probe',
  },
  {
    name: 'response bodies: keep a signing secret where there is no token',
    mutations: [{ symbol: 'secretsOf', from: /\? \[\.\.\.signingSecrets\]/, to: '? []' }],
    tests: ['test/forwarding/response-bodies'],
    only: 'also where there is no token',
  },
];
