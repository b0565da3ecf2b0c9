import type { Mutation } from '../support/rules/mutation.js';
import { ACCESS } from './planted/access.js';
import { BILLING } from './planted/billing.js';
import { CONSENT } from './planted/consent.js';
import { DASHBOARD } from './planted/dashboard.js';
import { DOMAIN_DEFECTS } from './planted/domains.js';
import { EVENT_DEFECTS } from './planted/events.js';
import { EVIDENCE } from './planted/evidence.js';
import { FORWARDING } from './planted/forwarding.js';
import { IMPORT_DEFECTS } from './planted/imports.js';
import { OUTBOX_DEFECTS } from './planted/outbox.js';
import { PUBLISHING_DEFECTS } from './planted/publishing.js';
import { VISITS } from './planted/visits.js';

/** A plausible defect, and the tests that must notice it. */
export interface Planted {
  name: string;
  mutations: Mutation[];
  /** Files, as Jest is given them. */
  tests: string[];
  /** A project of jest.config.mjs other than `unit` and `slow`. */
  project?: string;
  /** Pattern of the tests' names. */
  only?: string;
}

const LOADER = { tests: ['test/publishing/loader'], project: 'browser' };
const ROLLUP = 'test/consent/consent-analytics';
const MAINTENANCE = 'test/operations/maintenance';
const VISITOR = 'test/consent/visitor-rights';

export const PLANTED: Planted[] = [
  ...CONSENT,
  ...FORWARDING,
  ...OUTBOX_DEFECTS,
  ...BILLING,
  ...ACCESS,
  ...PUBLISHING_DEFECTS,
  ...DOMAIN_DEFECTS,
  ...IMPORT_DEFECTS,
  ...EVENT_DEFECTS,
  ...VISITS,
  ...EVIDENCE,
  ...DASHBOARD,
  {
    name: 'retention: drops a month early',
    mutations: [{ symbol: 'retentionStart', from: /-retentionMonths/, to: '1 - retentionMonths' }],
    tests: ['src/modules/consent/domain/erasure', MAINTENANCE],
  },
  {
    name: 'retention: maintenance never drops records',
    mutations: [
      {
        symbol: 'PartitionMaintenance.register',
        from: /await this\.dropExpired\(table, keptSince\(now\)\);/,
        to: '',
      },
    ],
    tests: [MAINTENANCE],
  },
  {
    name: 'rollup: counts a record on the end of a step twice',
    mutations: [{ symbol: 'choicesIn', from: /received_at < \$\{to\}/, to: 'received_at <= ${to}' }],
    tests: [ROLLUP],
    only: 'very end',
  },
  {
    name: 'rollup: forgets a record on the beginning of a step',
    mutations: [{ symbol: 'choicesIn', from: /received_at >= \$\{from\}/, to: 'received_at > ${from}' }],
    tests: [ROLLUP],
    only: 'very end',
  },
  {
    name: 'rollup: forgets ids older than six days',
    mutations: [{ symbol: 'ID_APART_MAX_MS', value: '6 * 24 * 60 * 60 * 1000' }],
    tests: [ROLLUP],
    only: 'seven days',
  },
  {
    name: 'rollup: passes open transactions',
    mutations: [{ symbol: 'nextSlice', from: /select min\(xact_start\)/, to: 'select max(now())' }],
    tests: [ROLLUP],
    only: 'still open',
  },
  {
    name: 'rollup: adds up without the lock on the mark',
    mutations: [{ symbol: 'nextSlice', from: / for update skip locked/, to: '' }],
    tests: [ROLLUP],
    only: 'leaves the work',
  },
  {
    name: 'export: leaves cells that begin like a formula',
    mutations: [{ symbol: 'formatCsv', from: /escape_formulas: true/, to: 'escape_formulas: false' }],
    tests: ['test/consent/consent-export'],
    only: 'formula',
  },
  {
    name: 'endpoint policy: takes 2,049 characters',
    mutations: [{ symbol: 'ENDPOINT_URL_CHARACTERS_MAX', value: '2049' }],
    tests: ['src/platform/delivery/domain/endpoint-policy'],
  },
  {
    name: 'billing: reads the events before it has the lock',
    mutations: [
      {
        symbol: 'SubscriptionSync.draftFromHistory',
        body: 'return { reported, seq: await this.nextSeq(tx), pastDueSince: null };',
      },
    ],
    tests: ['test/billing/billing-order'],
    only: 'under the lock',
  },
  {
    name: 'billing: ranks an invoice like an update',
    mutations: [{ symbol: 'rankOf', from: /return 1;/, to: 'return 2;' }],
    tests: ['src/modules/billing/domain/payload-history'],
  },
  {
    name: 'billing: takes a signature of 301 seconds',
    mutations: [{ symbol: 'SIGNATURE_TOLERANCE_SECONDS', value: '301' }],
    tests: ['test/billing/webhook-signature'],
  },
  ...[500, 429, 408].map((status) => ({
    name: `loader: forgets a choice that was answered ${status}`,
    mutations: [
      {
        symbol: 'postChoice',
        from: status === 500 ? /status < 500 && / : new RegExp(` && status !== ${status}`),
        to: '',
      },
    ],
    ...LOADER,
    only: 'keeps a choice',
  })),
  {
    name: 'loader: keeps nothing where storage is blocked',
    mutations: [{ symbol: 'writeJson', from: /memory\[key\] = JSON\.stringify\(value\);/, to: '' }],
    ...LOADER,
    only: 'storage is blocked',
  },
  {
    name: 'loader: keeps the oldest choices',
    mutations: [{ symbol: 'sendChoice', from: /slice\(-QUEUE_MAX\)/, to: 'slice(0, QUEUE_MAX)' }],
    ...LOADER,
    only: 'newest 20',
  },
  {
    name: 'visitor: erases one record without its key',
    mutations: [{ symbol: 'selection', from: /visitorKeyHash \? sql`and/, to: 'false ? sql`and' }],
    tests: [VISITOR],
    only: 'has not the key',
  },
  {
    name: 'visitor: accepts a receipt of another visitor’s record',
    mutations: [
      {
        symbol: 'VisitorRights.receipt',
        from: /records\.find\(\({ id }\) => id === consentId\)/,
        to: 'records[0]',
      },
    ],
    tests: [VISITOR],
    only: 'has not the key',
  },
  {
    name: 'visitor: takes the hash itself for a key',
    mutations: [{ symbol: 'visitorKeyHash', from: /Buffer\.concat\(\[.*\]\)/, to: 'bytes' }],
    tests: [VISITOR],
    only: 'has not the key',
  },
  {
    name: 'readiness: reports missing migrations once',
    mutations: [
      {
        symbol: 'ReadinessChecks.checkMigrations',
        from: /if \(pending\.length > 0\)/,
        to: 'this.migrated = true;\n    if (pending.length > 0)',
      },
    ],
    tests: ['test/operations/readiness'],
    only: 'each time',
  },
  {
    name: 'maintenance: leaves a task whose schedule was lost',
    mutations: [
      {
        symbol: 'MaintenanceProcessor.schedule',
        from: /if \(every === everyMs/,
        to: 'if ((every ?? everyMs) === everyMs',
      },
      { symbol: 'MaintenanceProcessor.schedule', from: /next = 0/, to: 'next = Date.now()' },
    ],
    tests: [MAINTENANCE],
    only: 'the queue has lost',
  },
  {
    name: 'blocking: rules of a category move together',
    mutations: [
      {
        symbol: 'patterns',
        file: 'domain/blocking.ts',
        from: /const last = groups\.at\(-1\);/,
        to: 'const last = groups.find((group) => group.category === category);',
      },
    ],
    tests: ['src/modules/publishing/domain/blocking'],
  },
  {
    name: 'publishing: a service keeps its name in another category',
    mutations: [{ symbol: 'serviceIdsOf', from: /`\$\{category\}\/\$\{name\}`/, to: 'name' }],
    tests: ['src/modules/publishing/domain/published-rules'],
  },
];
