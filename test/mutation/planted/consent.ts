import type { Planted } from '../planted.js';

const VISITOR = 'test/consent/visitor-rights';
const PERIODS = 'src/modules/consent/domain/overview-periods';
const INGEST = 'test/consent/consent.e2e';
const AUDIENCE = 'test/consent/consent-audience';
const INGEST_LIMIT = 'test/consent/ingest-limit';

/** Defects of `src/modules/consent` and of the limits on visitors' requests. */
export const CONSENT: Planted[] = [
  {
    name: 'visitor: a withdrawal names the oldest record',
    mutations: [
      {
        symbol: 'VisitorRights.withdraw',
        from: /= records\[0\];/,
        to: '= records.at(-1) ?? records[0];',
      },
    ],
    tests: [VISITOR],
    only: 'withdraws',
  },
  {
    name: 'visitor: a full page always has more behind it',
    mutations: [
      {
        symbol: 'VisitorRights.records',
        from: /records\.length > items\.length/,
        to: 'records.length >= KEY_RECORDS_MAX',
      },
    ],
    tests: [VISITOR],
    only: 'newest 100',
  },
  {
    name: 'lists: a full page always has more behind it',
    mutations: [
      { symbol: 'toPage', file: 'export/page.ts', from: /rows\.length > limit/, to: 'rows.length >= limit' },
    ],
    tests: ['src/platform/export/page'],
  },
  {
    name: 'lists of records: a full page always has more behind it',
    mutations: [{ symbol: 'toScannedPage', from: /found\.length > limit/, to: 'found.length >= limit' }],
    tests: ['src/platform/database/bounded-scan'],
  },
  {
    name: 'limits of visitors: count each address of an IPv6 network',
    mutations: [{ symbol: 'ClientRateLimiter.consume', from: /clientNetwork\(address\)/, to: 'address' }],
    tests: [INGEST_LIMIT],
    only: 'is one network',
  },
  {
    name: 'limits of visitors: count guesses by each address of an IPv6 network',
    mutations: [
      { symbol: 'ClientRateLimiter.consumeUnknownProject', from: /clientNetwork\(address\)/, to: 'address' },
    ],
    tests: [INGEST_LIMIT],
    only: 'tenfold',
  },
  {
    name: 'overview: takes the offset of UTC midnight for that of local midnight',
    mutations: [
      {
        symbol: 'localMidnight',
        from: /new Date\(midnightUtcMs - offsetMs\(guess, clock\)\)/,
        to: 'guess',
      },
    ],
    tests: [PERIODS],
  },
  {
    name: 'overview: begins a day without midnight an hour early',
    mutations: [{ symbol: 'localMidnight', from: /Math\.max\(/, to: 'Math.min(' }],
    tests: [PERIODS],
  },
  ...['erasures', 'privacy', "'visitor-records'"].map((part) => ({
    name: `keys: ${part} is within no area`,
    mutations: [{ symbol: 'AREA_OF_PART', from: new RegExp(`${part}: 'consents',`), to: '' }],
    tests: ['src/modules/access/domain/api-key'],
  })),
  ...['analytics, marketing', 'marketing, preferences'].map((pair) => ({
    name: `export: swaps ${pair} in a visitor's PDF`,
    mutations: [
      {
        symbol: 'toExportRow',
        from: /\[analytics, marketing, preferences\]/,
        to: pair.startsWith('analytics')
          ? '[marketing, analytics, preferences]'
          : '[analytics, preferences, marketing]',
      },
    ],
    tests: ['test/consent/erasure.slow'],
    only: 'as JSON and as PDF',
  })),
  {
    name: 'erasures reapply: forgets all projects but the first',
    mutations: [
      {
        symbol: 'reapply',
        from: /batch = null;\n/,
        to: 'batch = null;\n      break;\n',
      },
    ],
    tests: ['test/consent/erasure'],
    only: 'of every project',
  },
  {
    name: 'export: a failed read that nobody awaits yet ends the process',
    mutations: [{ symbol: 'ConsentExport.batches', from: /next\?\.catch\(\(\) => undefined\);/, to: '' }],
    tests: ['test/consent/consent-export'],
    only: 'later read',
  },
  ...[
    [
      'counts what is added up again',
      /and c\.received_at >= \(select done_until from state\)\s+and c\.id >= \(select [^)]*\)\} from state\)/,
      '',
    ],
    [
      'loses the half hour in which a day begins',
      /at >= date_trunc\('hour', \$\{since\}::timestamptz\)/,
      'at >= ${since}::timestamptz',
    ],
  ].map(([what, from, to]) => ({
    name: `records today: ${what as string}`,
    mutations: [{ symbol: 'countsSince', from: from as RegExp, to: to as string }],
    tests: ['test/forwarding/project-statuses'],
    only: 'each record of today once',
  })),
  ...['marketing', 'preferences', 'action'].map((member) => ({
    name: `ingest: takes another ${member} for the same choice`,
    mutations: [
      { symbol: 'isSameChoice', from: new RegExp(`stored\\.${member} === row\\.${member} &&`), to: '' },
    ],
    tests: [INGEST],
    only: 'for the same decision again',
  })),
  {
    name: 'records: an id in capitals is not found',
    mutations: [
      { symbol: 'ConsentReader.one', from: /consentId: consentId\.toLowerCase\(\)/, to: 'consentId' },
    ],
    tests: [INGEST],
    only: 'shows one record',
  },
  {
    name: 'visitor: a summary swaps the ends of its hour',
    mutations: [
      {
        symbol: 'SummarizeVisitorErasures.summarizeBatch',
        from: /from: at\.toISOString\(\), to: until\.toISOString\(\)/,
        to: 'from: until.toISOString(), to: at.toISOString()',
      },
    ],
    tests: [VISITOR],
    only: 'sums up the others',
  },
  {
    name: 'visitor: a summary covers a day',
    mutations: [{ symbol: 'reserveErasureHours', from: /interval '1 hour'/, to: "interval '1 day'" }],
    tests: [VISITOR],
    only: 'sums up the others',
  },
  {
    name: 'visitor: staff erase by a record of another project',
    mutations: [{ symbol: 'findVisitorKeyHash', from: /\.where\('projectId', '=', projectId\)/, to: '' }],
    tests: [VISITOR],
    only: 'from one record',
  },
  ...[
    ['clears the counts of every project', 'clearRollups', / where project_id = \$\{projectId\}/, ''],
    [
      'counts the records of every project again',
      'choicesIn',
      /\$\{projectId === undefined \? sql`` : .*\}/,
      '',
    ],
  ].map(([what, symbol, from, to]) => ({
    name: `rollup: a project's past ${what as string}`,
    mutations: [{ symbol: symbol as string, from: from as RegExp, to: to as string }],
    tests: [AUDIENCE],
    only: 'counted anew',
  })),
  {
    name: 'visitors: the end of one index ends all',
    mutations: [{ symbol: 'stopIndexing', from: /\{ projectId \}/, to: '{}' }],
    tests: ['test/consent/erasure.slow'],
    only: 'nobody is named any more',
  },
  {
    name: 'ingest: counts a duplicate as stored',
    mutations: [
      { symbol: 'IngestEndpoint.post', from: /receipt\.duplicate \? 'duplicate' : 'stored'/, to: "'stored'" },
    ],
    tests: [INGEST],
    only: 'for the same decision again',
  },
];
