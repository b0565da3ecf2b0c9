/**
 * Which parts of the dashboard may import which: `app ─▶ features ─▶ shared ─▶ api`. Features import one another only
 * through the parts listed here, and nothing imports in a circle. `npm run check -- imports` checks it.
 */
const SRC = 'dashboard/src';

/** Parts of other features that a feature shows. */
const PARTS = {
  account: ['organizations/roles-text'],
  audit: ['organizations/organization-list'],
  banner: ['projects/banner-state', 'projects/dialogs', 'projects/project-checklist', 'projects/queries'],
  consents: [
    'banner/banner-frame',
    'banner/shown-banner',
    'deliveries/outcome',
    'deliveries/record-request',
    'deliveries/response-body',
    'deliveries/use-attempts',
    'deliveries/use-resends',
    'evidence/proof',
    'privacy/erase-record',
  ],
  deliveries: ['consents/consent-drawer', 'consents/find-by-id'],
  events: [
    'consents/delivery-state',
    'deliveries/outcome',
    'deliveries/plain-text',
    'deliveries/response-body',
  ],
  forwarding: ['deliveries/outcome', 'deliveries/endpoint-health', 'deliveries/undelivered-notice'],
  install: ['banner/configuration'],
  organizations: [
    'audit/(actor-names|audit-log|filters|log-actions)',
    'projects/(attention-notice|project-list|projects-search|queries)',
    'settings/(invitation-table|invite-form|leave-button|member-columns|role-facts)',
  ],
  overview: [
    'banner/banner-frame',
    'banner/configuration',
    'consents/columns',
    'deliveries/endpoint-health',
    'deliveries/health',
    'deliveries/undelivered-notice',
  ],
  privacy: ['consents/columns', 'consents/consent-drawer'],
  projects: [
    'account/(own-invitations|own-invitation-list)',
    'organizations/(organization-links|organization-list)',
    'banner/changes-list',
    'banner/configuration',
    'banner/copy-dialog',
    'banner/draft-outcomes',
  ],
  // Its proof is checked like a record's.
  scans: ['evidence/proof'],
  settings: ['organizations/project-organization'],
  'sign-in': ['organizations/roles-text'],
};

/** What every part may import: packages, the generated client, messages, and the service's constants. */
const COMMON = ['node_modules/', `^${SRC}/(client|i18n)/`, '^src/platform/identity/(brand|wordmark)\\.ts$'];

const SPEC = '\\.spec\\.ts$';

module.exports = {
  forbidden: [
    { name: 'no-circular', severity: 'error', from: { pathNot: `^${SRC}/client/` }, to: { circular: true } },
    {
      name: 'no-orphan',
      comment: 'A file that nothing imports is left over.',
      severity: 'error',
      from: { orphan: true, pathNot: '\\.d\\.ts$' },
      to: {},
    },
  ],
  allowed: [
    { from: { path: `^${SRC}/main\\.tsx$` }, to: { path: [...COMMON, `^${SRC}/(app|api)/`] } },
    { from: { path: `^${SRC}/app/` }, to: { path: [...COMMON, `^${SRC}/(app|features|shared|api)/`] } },
    {
      from: { path: `^${SRC}/features/([^/]+)/` },
      to: { path: [...COMMON, `^${SRC}/features/$1/`, `^${SRC}/(shared|api)/`] },
    },
    ...Object.entries(PARTS).map(([feature, parts]) => ({
      from: { path: `^${SRC}/features/${feature}/` },
      to: { path: `^${SRC}/features/(${parts.join('|')})\\.tsx?$` },
    })),
    {
      comment: 'The verifier that anyone can run without the service.',
      from: { path: `^${SRC}/features/evidence/` },
      to: { path: '^verify/verify\\.(cjs|d\\.cts)$' },
    },
    {
      comment:
        'The contrast and the size of a logo that the API requires, the names of signals, and what `EU` stands for.',
      from: { path: `^${SRC}/features/banner/` },
      to: {
        path: '^src/modules/publishing/domain/(contrast|publishing\\.limits|region|signals|text-language)\\.ts$',
      },
    },
    {
      comment: 'Sentences about findings, which the PDF report contains, too.',
      from: { path: `^${SRC}/features/scans/` },
      to: { path: '^src/modules/scans/domain/finding-sentence\\.ts$' },
    },
    {
      comment: 'Examples from the documents.',
      from: { path: `^${SRC}/features/` },
      to: { path: '^docs/' },
    },
    { from: { path: `^${SRC}/shared/` }, to: { path: [...COMMON, `^${SRC}/(shared|api)/`] } },
    { from: { path: `^${SRC}/api/` }, to: { path: [...COMMON, `^${SRC}/api/`] } },
    { from: { path: `^${SRC}/client/` }, to: { path: ['node_modules/', `^${SRC}/client/`] } },
    {
      from: { path: `^${SRC}/i18n/` },
      to: { path: ['node_modules/', `^${SRC}/i18n/`, '^messages/'] },
    },
    { from: { path: SPEC }, to: { path: ['^src/', `^${SRC}/`, 'node_modules/', '^fs$', '^node:'] } },
  ],
  allowedSeverity: 'error',
  options: {
    doNotFollow: { path: ['node_modules', '^src/', '^verify/', '^docs/'] },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'dashboard/tsconfig.json' },
    moduleSystems: ['es6', 'cjs'],
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
    },
  },
};
