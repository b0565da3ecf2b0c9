import type { Planted } from '../planted.js';

const SEQUENCING = 'test/evidence/sequencing.slow';
const ROTATION = 'test/evidence/key-rotation';
const CHECK = 'test/evidence/record-check.slow';
const TIMESTAMPS = 'test/evidence/timestamps.slow';

/** Defects of `src/modules/evidence`. */
export const EVIDENCE: Planted[] = [
  {
    name: 'evidence: a slow publisher replaces a newer checkpoint',
    mutations: [
      { symbol: 'writeCheckpoint', from: /checkpoint = \$\{former\} and checkpoint <>/, to: 'checkpoint <>' },
    ],
    tests: [ROTATION],
  },
  {
    name: 'evidence: a key that was rotated out is no longer published',
    mutations: [
      {
        symbol: 'PublishedKeys.text',
        from: /signed\.flatMap\(/,
        to: 'signed.filter(({ verifier }) => isSameKey(verifier, current[0])).flatMap(',
      },
    ],
    tests: [ROTATION],
  },
  {
    name: 'evidence: a record that was erased and sent again keeps the leaf of its erasure',
    mutations: [{ symbol: 'insertLeaves', from: /do update set .*/, to: 'do nothing' }],
    tests: [SEQUENCING],
    only: 'sent again',
  },
  {
    name: 'evidence: of several checkpoints that one root covers, proofs take the oldest',
    mutations: [{ symbol: 'coverRootEntries', from: /root_index desc/, to: 'root_index' }],
    tests: [SEQUENCING],
    only: 'newest of several',
  },
  {
    name: 'evidence: a tile of unsigned entries is served',
    mutations: [{ symbol: 'LogReader.tile', from: /> covered/, to: '> Infinity' }],
    tests: [SEQUENCING],
    only: 'unsigned entries',
  },
  {
    name: 'evidence: a check reads the first log in place of one that continues it',
    mutations: [
      {
        symbol: 'checkSigned',
        from: /readTree\(storage, name/,
        to: "readTree(storage, name.split('/')[0] ?? name",
      },
    ],
    tests: [SEQUENCING],
    only: 'checked together',
  },
  {
    name: 'evidence: a check skips the records at the end of its pages',
    mutations: [{ symbol: 'readPage', from: /id <= end/, to: 'id < end' }],
    tests: [CHECK],
    only: 'end of a page',
  },
  {
    name: 'evidence: a check does not compare the dates of records',
    mutations: [{ symbol: 'dateProblem', first: 'return null;' }],
    tests: ['src/modules/evidence/domain/record-check'],
  },
  {
    name: 'evidence: a check compares the first 500 entries alone',
    mutations: [{ symbol: 'checkEntries', from: /entries\.length === BATCH_MAX/, to: 'false' }],
    tests: ['test/scans/log-check'],
    only: 'all entries',
  },
  {
    name: 'evidence: a check without the signing key stores damage',
    mutations: [{ symbol: 'checkSigned', from: /, isDamaged: false/, to: '' }],
    tests: [CHECK],
    only: 'without the key',
  },
  {
    name: 'evidence: the logs refused last are listed first',
    mutations: [{ symbol: 'listRefused', from: /order by refused_at limit/, to: 'order by log limit' }],
    tests: [SEQUENCING],
    only: 'oldest refusal first',
  },
  {
    name: 'evidence: signed logs count as unsigned',
    mutations: [{ symbol: 'findStatus', from: /checkpoint_size < size/, to: 'checkpoint_size <= size' }],
    tests: [SEQUENCING],
    only: 'oldest refusal first',
  },
  {
    name: 'evidence: refused logs are not counted',
    mutations: [{ symbol: 'findStatus', from: /count\(refusal\)/, to: 'count(halted)' }],
    tests: [SEQUENCING],
    only: 'oldest refusal first',
  },
  {
    name: 'evidence: a request for a checkpoint that was lost is not repeated',
    mutations: [
      {
        symbol: 'markRequested',
        from: /now\(\) - \$\{REQUEST_AGAIN\}::interval/,
        to: 'now() - 60 * ${REQUEST_AGAIN}::interval',
      },
    ],
    tests: [SEQUENCING],
    only: 'after ten minutes',
  },
  {
    name: 'evidence: the root log grows more often than EVIDENCE_ROOT_SECONDS',
    mutations: [
      {
        symbol: 'listUnanchored',
        from: /make_interval\(secs => \$\{everySeconds\}\)/,
        to: 'make_interval(secs => ${everySeconds} / 60.0)',
      },
    ],
    tests: [SEQUENCING],
    only: 'once in EVIDENCE_ROOT_SECONDS',
  },
  {
    name: 'evidence: the check that is most overdue waits',
    mutations: [
      { symbol: 'nextLogToCheck', from: /checked_at, log limit/, to: 'checked_at desc, log limit' },
    ],
    tests: [CHECK],
    only: 'oldest last check',
  },
  {
    name: 'evidence: a check of timestamps reads the first one',
    mutations: [
      {
        symbol: 'checkTimestamps',
        from: /const timestamps = await listTimestamps\(em\);/,
        to: 'const timestamps = (await listTimestamps(em)).slice(0, 1);',
      },
    ],
    tests: [TIMESTAMPS],
    only: 'checked by an operator|newest checkpoint of the root log stamped|first timestamp that covers it',
  },
  ...[
    {
      name: 'the newest one',
      symbol: 'findNewestTimestamp',
      from: /orderBy\('epoch', 'desc'\)/,
      to: "orderBy('epoch')",
    },
    {
      name: 'the one that covers a size',
      symbol: 'findTimestampCovering',
      from: /\s*\.where\('epoch', '=', epoch\)/,
      to: '',
    },
    {
      name: 'the one that is due',
      symbol: 'RootTimestamper.findDue',
      from: /newest\?\.epoch === root\?\.epoch \? \(newest\?\.size \?\? 0\) : 0/,
      to: 'newest?.size ?? 0',
    },
  ].map(({ name, symbol, from, to }) => ({
    name: `evidence: ${name} is taken from the timestamps of another root log`,
    mutations: [{ symbol, from, to }],
    tests: [TIMESTAMPS],
    only: 'of one root log|newest checkpoint of the root log stamped',
  })),
];
