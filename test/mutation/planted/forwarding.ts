import type { Planted } from '../planted.js';

const HOLD = 'test/forwarding/hold.e2e';
const OUTBOX = 'test/outbox/outbox.int';
const BOUNDS = 'test/forwarding/forwarding-bounds';
const SETTLING = 'test/forwarding/settling';
const LOG = 'test/forwarding/delivery-log';
const UNDELIVERED = 'test/forwarding/undelivered';
const RETRY = 'test/forwarding/retry.e2e';
const SETTINGS = 'test/forwarding/forwarding-settings';
const WATCH = 'test/forwarding/receiver-circuit-breaker';

/** Defects of `src/modules/forwarding` and `src/platform/outbox`. */
export const FORWARDING: Planted[] = [
  {
    name: 'hold: sends mail to an owner with an unconfirmed address',
    mutations: [{ symbol: 'AccessService.ownersOf', from: / && emailConfirmed/, to: '' }],
    tests: [HOLD],
    only: 'told of it once',
  },
  {
    name: 'hold: sends mail to members who are not owners',
    mutations: [{ symbol: 'AccessService.ownersOf', from: /role === 'owner' && /, to: '' }],
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
        file: 'settings.rows.ts',
        from: /former_signing_key_id as/,
        to: 'signing_key_id as',
      },
    ],
    tests: ['test/forwarding/signing'],
    only: 'another key encrypted',
  },
  {
    name: 'secrets: re-encryption overwrites a token that was saved meanwhile',
    mutations: [{ symbol: 'replaceSecret', from: /\.where\(ciphertext, '=', stored\.ciphertext\)/, to: '' }],
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
  ...[
    ['milliseconds as seconds', /observe\(durationMs \/ 1000\)/, 'observe(durationMs)'],
    ['skips as attempts', /if \(outcome !== 'skipped'\) /, ''],
    ['a batch as one delivery', /, length\);/, ');'],
  ].map(([what, from, to]) => ({
    name: `forwarding metrics: count ${what as string}`,
    mutations: [{ symbol: 'ForwardingMetrics.count', from: from as RegExp, to: to as string }],
    tests: [SETTLING],
    only: 'are counted',
  })),
  {
    name: 'forwarding metrics: count no scheduled retry',
    mutations: [
      { symbol: 'ConsentForwarder.settle', from: /this\.metrics\.countRetries\(retried\.size\);/, to: '' },
    ],
    tests: [SETTLING],
    only: 'are counted',
  },
  {
    name: 'last failure: the last one of a batch, not the latest',
    mutations: [
      { symbol: 'latestPerProject', from: /known\.attemptedAt <= outcome\.attemptedAt/, to: 'true' },
    ],
    tests: [SETTLING],
    only: 'the latest failure',
  },
  {
    name: 'last failure: an older one overwrites a later one',
    mutations: [{ symbol: 'writeLastFailures', from: /\n\s+where l\.at <= excluded\.at/, to: '' }],
    tests: [SETTLING],
    only: 'the latest failure',
  },
  {
    name: 'undelivered: counts all of them in the last day',
    mutations: [{ symbol: 'UndeliveredService.count', from: /failed,\s+from,/, to: 'failed,' }],
    tests: [UNDELIVERED],
    only: 'last day',
  },
  {
    name: 'undelivered: mails twice a day',
    mutations: [{ symbol: 'MAIL_HOURS', file: 'undelivered.service.ts', value: '22' }],
    tests: [UNDELIVERED],
    only: 'once a day',
  },
  ...[
    ['failures of delivered records in a day', 'deliveriesSince', /not f\.superseded and /],
    ['skips among the response times', 'responseTimes', /\n\s+where outcome = 'delivered'/],
  ].map(([what, symbol, from]) => ({
    name: `activity: counts ${what as string}`,
    mutations: [{ symbol: symbol as string, from: from as RegExp, to: '' }],
    tests: [LOG],
    only: 'by half hour',
  })),
  {
    name: 'resend: a period exceeds the daily limit',
    mutations: [{ symbol: 'ResendService.many', from: /ids\.slice\(0, taken\)/, to: 'ids' }],
    tests: [LOG],
    only: 'the day has left',
  },
  ...[
    ['ends the retries of every project', 'endRetries', /r\.project_id = \$\{projectId\} and /, ''],
    ['queues more than 64 of a project', 'RetryScheduler.queueDue', /QUEUED_MAX - queued/, 'QUEUED_MAX'],
    [
      'counts the queued ones of every project',
      'countQueuedRetries',
      /project_id = \$\{projectId\} and /,
      '',
    ],
    ['queues the latest first', 'nextRetries', /'dueAt'\)/, "'dueAt', 'desc')"],
  ].map(([what, symbol, from, to]) => ({
    name: `retry: ${what as string}`,
    mutations: [{ symbol: symbol as string, from: from as RegExp, to: to as string }],
    tests: [SETTLING],
    only: '64 of a project',
  })),
  {
    name: 'retry: waits although the settings were saved',
    mutations: [{ symbol: 'HoldService.probe', from: /await releaseRetries\(tx, \[projectId\]\);/, to: '' }],
    tests: [RETRY],
    only: 'settings are saved',
  },
  {
    name: 'retry: saved settings release the retries of every project',
    mutations: [{ symbol: 'releaseRetries', from: /r\.project_id = project\.id and /, to: '' }],
    tests: [RETRY],
    only: 'settings are saved',
  },
  {
    name: 'hold: keeps its back-off where somebody asks',
    mutations: [{ symbol: 'forgetProbes', from: /\{ probes: 0 \}/, to: "{ phase: 'open' }" }],
    tests: [HOLD],
    only: 'where an editor asks',
  },
  {
    name: 'pending: tells the newest for the oldest',
    mutations: [
      {
        symbol: 'ForwardingSettingsService.countPending',
        from: /one\.getTime\(\) - other\.getTime\(\)/,
        to: 'other.getTime() - one.getTime()',
      },
    ],
    tests: [RETRY],
    only: 'are no probe',
  },
  ...[
    ['removes those of every project', 'deleteSigningSecrets', /projectId, signing/, 'signing'],
    ['retires the old ones of every project', 'deleteFormerSigningSecret', /projectId, former/, 'former'],
    ['rotates those of every project', 'rotateSigningSecret', /\n\s+where project_id = \$\{projectId\}/, ''],
  ].map(([what, symbol, from, to]) => ({
    name: `signing: ${what as string}`,
    mutations: [{ symbol: symbol as string, from: from as RegExp, to: to as string }],
    tests: ['test/forwarding/signing'],
    only: 'of another project',
  })),
  ...['forwardErasures', 'keepResponseBodies', 'tokenMs'].map((member) => ({
    name: `settings: the ETag leaves out ${member}`,
    mutations: [{ symbol: 'settingsTag', from: new RegExp(`(?<=entityTag\\(\\{[^]*)${member},`), to: '' }],
    tests: [SETTINGS],
    only: 'each save that changes',
  })),
  {
    name: 'settings: a replaced token is audited as removed',
    mutations: [{ symbol: 'TOKEN_WORDS', value: "{ replace: 'removed', drop: 'removed' } as const" }],
    tests: [SETTINGS],
    only: 'each save that changes',
  },
  {
    name: 'settings: a new token alone is not audited',
    mutations: [{ symbol: 'auditSave', from: /!difference && token\.kind === 'keep'/, to: '!difference' }],
    tests: [SETTINGS],
    only: 'each save that changes',
  },
  {
    name: 'settings: the hours of retries are not audited',
    mutations: [{ symbol: 'audited', from: /retryHours: retryFailures\.hours,/, to: '' }],
    tests: [RETRY],
    only: 'is validated',
  },
  ...[
    ['shows the delivery', 'latestDelivery', /c\.project_id = \$\{projectId\} and /, undefined],
    ['lists by the outcome', 'ATTEMPT_OF_RECORD', /d\.project_id = c\.project_id and /, 'delivery.rows.ts'],
    ['resends by the outcome', 'resendableRecords', /later\.project_id = \$\{projectId\} and /, undefined],
    ['erases the deliveries', 'deleteDeliveries', /\.where\('projectId', '=', projectId\)/, undefined],
    ['erases the retry', 'deleteProjectRetries', /projectId, \.\.\./, undefined],
    ['loads the record', 'RECORDS', /r\.project_id = requested\.project_id and /, 'record.rows.ts'],
    ['erases the record', 'deleteRecords', /c\.project_id = \$\{projectId\} and /, undefined],
  ].map(([what, symbol, from, file]) => ({
    name: `same id: ${what as string} of another project`,
    mutations: [
      {
        symbol: symbol as string,
        from: from as RegExp,
        to: '',
        ...(file !== undefined && { file: file as string }),
      },
    ],
    tests: [LOG],
    only: 'under the same id',
  })),
];
