import type { Planted } from '../planted.js';

const OUTBOX = 'test/outbox/outbox.int';
const THROTTLE = 'test/outbox/claim-throttle';
const ROTATION = 'test/outbox/partition-rotation';
const SETTLING = 'test/forwarding/settling';

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
  ...[
    [
      'opens the throttle of every key',
      'allowClaim',
      /where ordering_key = \$\{orderingKey\} and topic/,
      'where topic',
    ],
    [
      'removes the throttle of every key',
      'removeThrottles',
      /g\.ordering_key = given\.ordering_key and /,
      '',
    ],
    [
      'a released message opens the throttle of another key',
      'advanceThrottles',
      /g\.ordering_key = given\.ordering_key and /,
      '',
    ],
  ].map(([what, symbol, from, to]) => ({
    name: `outbox: ${what as string}`,
    mutations: [{ symbol: symbol as string, from: from as RegExp, to: to as string }],
    tests: [THROTTLE],
    only: 'of one key alone',
  })),
  {
    name: 'outbox: a retried message leaves its throttle closed',
    mutations: [
      { symbol: 'OutboxStore.retry', from: /await advanceThrottles\(tx, \[leased\.message\]\);/, to: '' },
    ],
    tests: [THROTTLE],
    only: 'is to be retried',
  },
  ...[
    ['counts messages in progress as the oldest', / and m\.available_at <= now\(\)/, ''],
    ['finds the newest for a throttle', /order by m\.id limit/, 'order by m.id desc limit'],
  ].map(([what, from, to]) => ({
    name: `outbox: ${what as string}`,
    mutations: [{ symbol: 'oldestWaiting', from: from as RegExp, to: to as string }],
    tests: [THROTTLE],
    only: 'oldest of several keys',
  })),
  {
    name: 'outbox: a throttled message makes the backlog old',
    mutations: [{ symbol: 'OutboxStore.backlog', from: /g\.topic is null and /, to: '' }],
    tests: [THROTTLE],
    only: 'counts what waits behind',
  },
  {
    name: 'outbox: never moves a message whose worker died',
    mutations: [
      {
        symbol: 'OutboxPartitions.moveForward',
        from: / or o\.available_at < now\(\) - make_interval\(secs => \$\{ABANDONED_SECONDS\}\)/,
        to: '',
      },
    ],
    tests: [ROTATION],
    only: 'ended a minute ago',
  },
  {
    name: 'outbox: moves a message whose lease has just ended',
    mutations: [{ symbol: 'ABANDONED_SECONDS', value: '0' }],
    tests: [ROTATION],
    only: 'ended a minute ago',
  },
  ...[
    ['confuses the outcomes of two partitions', 'settle', /chosen\[position\] \?\? Number\.NaN/, 'position'],
  ].map(([what, method, from, to]) => ({
    name: `outbox: ${what as string}`,
    mutations: [
      { symbol: `SingleStatementSettler.${method as string}`, from: from as RegExp, to: to as string },
    ],
    tests: [SETTLING],
    only: 'of two partitions',
  })),
  {
    name: 'outbox: keeps the dead letters of a deleted project',
    mutations: [
      {
        symbol: 'deleteOfProject',
        from: /await sql`delete from outbox_dead_letter where project_id = \$\{projectId\}`\.execute\(tx\.getKysely\(\)\);/,
        to: '',
      },
    ],
    tests: [OUTBOX],
    only: 'of a deleted project',
  },
  {
    name: 'outbox: deletes the dead letters of every project',
    mutations: [
      {
        symbol: 'deleteOfProject',
        from: /outbox_dead_letter where project_id = \$\{projectId\}/,
        to: 'outbox_dead_letter',
      },
    ],
    tests: [OUTBOX],
    only: 'of a deleted project',
  },
  ...[
    [
      'leaves the dead letters about a subject that is appended anew',
      /delete from outbox_dead_letter where .*/,
      'select 1',
    ],
    [
      'appending anew deletes other subjects',
      /outbox_message where ordering_key = \$\{orderingKey\} and subject_id = \$\{subjectId\}/,
      'outbox_message where ordering_key = ${orderingKey}',
    ],
    [
      'appending anew deletes the subject of other keys',
      /outbox_message where ordering_key = \$\{orderingKey\} and /,
      'outbox_message where ',
    ],
  ].map(([what, from, to]) => ({
    name: `outbox: ${what as string}`,
    mutations: [{ symbol: 'deleteAbout', from: from as RegExp, to: to as string }],
    tests: [OUTBOX],
    only: 'replaces what is queued',
  })),
  ...[['forgets a subject of every key', /ordering_key = \$\{orderingKey\} and /]].map(([what, from]) => ({
    name: `outbox: ${what as string}`,
    mutations: [{ symbol: 'forgetSubjects', from: from as RegExp, to: '' }],
    tests: [OUTBOX],
    only: 'replaces what is queued',
  })),
  {
    name: 'outbox: counts each claim as a reclaim',
    mutations: [
      { symbol: 'OutboxAttempts.begin', from: /abandonedAttempts > 0/, to: 'abandonedAttempts >= 0' },
    ],
    tests: [OUTBOX],
    only: 'unknown outcomes',
  },
  {
    name: 'outbox: does not count what it gives up',
    mutations: [{ symbol: 'OutboxAttempts.made', from: /this\.parts\.metrics\.discarded\.inc\(\);/, to: '' }],
    tests: [OUTBOX],
    only: 'unknown outcomes',
  },
  {
    name: 'outbox: a key takes all slots of a topic with a limit per key',
    mutations: [
      {
        symbol: 'WorkerSlots.claimable',
        from: /perKeyOfTopic\.set\(topic, slotsPerKeyMax\)/,
        to: 'perKeyOfTopic.clear()',
      },
      { symbol: 'WorkerSlots.claimed', from: /, this\.boundsOf\(message\.topic\)\.slotsPerKeyMax/, to: '' },
    ],
    tests: [OUTBOX],
    only: 'of one key than its handler',
  },
  {
    name: 'outbox: lists the newest dead letters',
    mutations: [{ symbol: 'OutboxStore.deadLetters', from: /order by died_at/, to: 'order by died_at desc' }],
    tests: [OUTBOX],
    only: 'oldest dead letters',
  },
  {
    name: 'outbox: stores an error of any length',
    mutations: [{ symbol: 'ERROR_CHARACTERS_MAX', file: 'outbox.store.ts', value: '100_000' }],
    tests: [OUTBOX],
    only: 'oldest dead letters',
  },
  {
    name: 'outbox: settles a batch of two topics with one handler',
    mutations: [
      {
        symbol: 'OutboxSettler.writeTogether',
        from: /handlerOf\(topic\)\.settle/,
        to: "handlerOf(batch[0]?.leased.message.topic ?? '').settle",
      },
    ],
    tests: [OUTBOX],
    only: 'two topics',
  },
  ...[
    ['finds the oldest dead letter', 'findNewestDeadLetter', /max\(died_at\)/, 'min(died_at)'],
    ['tells the age of the newest message of a key', 'readOldestAge', /min\(created_at\)/, 'max(created_at)'],
    ['finds no message recent', 'hasRecent', /created_at > now/, 'created_at < now'],
  ].map(([what, symbol, from, to]) => ({
    name: `outbox: ${what as string}`,
    mutations: [{ symbol: symbol as string, from: from as RegExp, to: to as string }],
    tests: [OUTBOX],
    only: 'how old the queue',
  })),
  {
    name: 'outbox: a second handler replaces the first one',
    mutations: [
      { symbol: 'OutboxService.register', from: /if \(this\.handlers\.has\(topic\)\) throw .*;/, to: '' },
    ],
    tests: [OUTBOX],
    only: 'takes one handler',
  },
  {
    name: 'outbox: wakes no worker where the polling is over',
    mutations: [
      { symbol: 'OutboxService.notifyUnlessPolling', from: / \|\| pollingMs <= elapsedMs/, to: '' },
    ],
    tests: [OUTBOX],
    only: 'unless one polls',
  },
  {
    name: 'outbox: a worker that stops is still announced',
    mutations: [
      {
        symbol: 'OutboxDispatcher.drain',
        from: /await this\.store\.withdrawPolling\(\)\.catch\(\(\) => \{\}\);/,
        to: '',
      },
    ],
    tests: [OUTBOX],
    only: 'the latest end of polling',
  },
  {
    name: 'outbox: a worker shortens the announcement of another one',
    mutations: [
      {
        symbol: 'OutboxStore.announcePolling',
        from: /greatest\(worker_polling\.until, excluded\.until\)/,
        to: 'excluded.until',
      },
    ],
    tests: [OUTBOX],
    only: 'the latest end of polling',
  },
  {
    name: 'outbox: the gauge of dead letters has the waiting messages',
    mutations: [
      {
        symbol: 'OutboxMetrics.constructor',
        from: /this\.set\(backlog\.dead\)/,
        to: 'this.set(backlog.waiting)',
      },
    ],
    tests: [OUTBOX],
    only: 'unknown outcomes',
  },
  {
    name: 'outbox: the log of a dead letter lacks its project',
    mutations: [
      {
        symbol: 'OutboxSettler.fail',
        from: /err: cause, projectId, messageId: id, topic, failures \}/,
        to: 'err: cause, messageId: id, topic, failures }',
      },
    ],
    tests: [OUTBOX],
    only: 'buries as the handler',
  },
];
