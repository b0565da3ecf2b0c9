import type { Planted } from '../planted.js';

const DELIVERY = 'test/events/event-delivery.e2e';
const ENDPOINTS = 'test/events/event-endpoints.e2e';
const WAITS = 'test/events/event-waits.e2e';
const SCHEDULE = 'src/modules/events/domain/schedule';

export const EVENT_DEFECTS: Planted[] = [
  {
    name: 'events: a rotated secret ends at once',
    mutations: [
      {
        symbol: 'EndpointService.rotateSecret',
        from: /formerSecretCiphertext: stored\.secretCiphertext/,
        to: 'formerSecretCiphertext: null',
      },
    ],
    tests: [DELIVERY],
    only: 'two signatures',
  },
  {
    name: 'events: a recovery sends triggered events',
    mutations: [{ symbol: 'requeueSince', from: /and not v\.test/, to: '' }],
    tests: [WAITS],
    only: 'reaches no endpoint',
  },
  {
    name: 'events: deliveries keep their delay when the receiver is back',
    mutations: [
      { symbol: 'settleEndpoint', from: /if \(hasRecovered\) await makeDue\(tx, before\);/, to: '' },
    ],
    tests: [DELIVERY],
    only: 'gets only probes',
  },
  {
    name: 'events: a slow endpoint uses the slots of fast ones',
    mutations: [{ symbol: 'EventSender.attemptOf', from: / \|\| delivery\.isSlow/, to: '' }],
    tests: [DELIVERY],
    only: 'uses the slots of failing ones',
  },
  {
    name: 'events: an endpoint that is enabled again keeps its failures',
    mutations: [{ symbol: 'EndpointService.update', from: /\.\.\.\(isEnabledAnew && ANEW\),/, to: '' }],
    tests: [DELIVERY],
    only: 'is disabled after five days',
  },
  {
    name: 'events: a disabled endpoint gets deliveries',
    mutations: [{ symbol: 'insertEvents', from: /where e\.enabled and w\.type/, to: 'where w.type' }],
    tests: [DELIVERY],
    only: 'reaches only enabled endpoints',
  },
  {
    name: 'events: an eleventh endpoint',
    mutations: [
      {
        symbol: 'EndpointService.create',
        from: />= ENDPOINTS_PER_PROJECT_MAX/,
        to: '> ENDPOINTS_PER_PROJECT_MAX',
      },
    ],
    tests: [ENDPOINTS],
    only: 'one of ten at most',
  },
  {
    name: 'events: bodies of responses are kept without a request',
    mutations: [{ symbol: 'EventAttempts.attempt', from: /target\.keepResponseBodies/, to: 'true' }],
    tests: [DELIVERY],
    only: 'only on request',
  },
  {
    name: 'events: listed before they are settled',
    mutations: [{ symbol: 'settledBefore', from: / - SETTLED_MS/, to: '' }],
    tests: [WAITS],
    only: 'once they are a second old',
  },
  {
    name: 'events: a wait outlives a client that left',
    mutations: [{ symbol: 'EventWaits.wait', from: /this\.waits\.delete\(wait\);/, to: '' }],
    tests: [WAITS],
    only: 'bounded by account',
  },
  {
    name: 'events: Retry-After shortens a delay',
    mutations: [{ symbol: 'eventDelayMs', from: /Math\.max\(/, to: 'Math.min(' }],
    tests: [SCHEDULE],
  },
  {
    name: 'events: the same mail every ten minutes',
    mutations: [{ symbol: 'failingStep', from: /day <= mailedDay/, to: 'day < mailedDay' }],
    tests: [SCHEDULE],
  },
];
