import type { Planted } from '../planted.js';

const SEQUENCING = 'test/evidence/sequencing.slow';
const ROTATION = 'test/evidence/key-rotation';
const CHECK = 'test/evidence/record-check.slow';

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
];
