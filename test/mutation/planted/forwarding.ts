import type { Planted } from '../planted.js';

const HOLD = 'test/forwarding/hold.e2e';
const OUTBOX = 'test/outbox/outbox.int';
const BOUNDS = 'test/forwarding/forwarding-bounds';
const WATCH = 'test/forwarding/receiver-circuit-breaker';

/** Defects of `src/forwarding` and `src/outbox`. */
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
    mutations: [{ symbol: 'guardedConnector', from: /\[\.\.\.rootCertificates, extraCa\]/, to: '[extraCa]' }],
    tests: ['test/forwarding/forwarding-sender'],
    only: 'built-in authority',
  },
];
