import type { Planted } from '../planted.js';

const S3 = { tests: ['test/publishing/publishing-s3'], project: 'services' };
const PUBLISHING = 'test/publishing/publishing.e2e';
const CDN = 'test/publishing/cdn.e2e';
const DRAFTS = 'test/publishing/drafts.e2e';

/** Defects of `src/modules/publishing`, except those of its loader. */
export const PUBLISHING_DEFECTS: Planted[] = [
  {
    name: 'publishing: points at what held before the first write',
    mutations: [
      {
        symbol: 'PublishSite.publishAlone',
        from: /const newest = await this\.source\.render\(projectId, new Date\(\)\)/,
        to: 'const newest = site',
      },
    ],
    ...S3,
    only: 'points at what holds',
  },
  {
    name: 'publishing: does not notice that its lock is lost',
    mutations: [{ symbol: 'HeldLock.check', body: '' }],
    ...S3,
    only: 'its lock is lost',
  },
  {
    name: 'publishing: keeps 501 publications',
    mutations: [{ symbol: 'PUBLICATIONS_KEPT_MAX', value: '501' }],
    tests: [PUBLISHING],
    only: 'last 500',
  },
  {
    name: 'publishing: deletes old publications of other projects',
    mutations: [
      {
        symbol: 'deleteOldPublications',
        from: /\{ projectId, version \}/,
        to: '{ version }',
      },
    ],
    tests: [PUBLISHING],
    only: 'last 500',
  },
  {
    name: 'publishing: counts the publications of all projects',
    mutations: [
      {
        symbol: 'publicationCount',
        from: /\.where\('projectId', '=', projectId\)/,
        to: '',
      },
    ],
    tests: [PUBLISHING],
    only: 'last 500',
  },
  {
    name: 'publishing: a dry run publishes',
    mutations: [{ symbol: 'republish', from: /if \(!dryRun\)/, to: 'if (!dryRun || projectId !== null)' }],
    tests: [PUBLISHING],
    only: 'for an operator',
  },
  {
    name: 'publishing: measures the delay in milliseconds',
    mutations: [{ symbol: 'PublishingMetrics.published', from: / \/ 1000/, to: '' }],
    tests: [PUBLISHING],
    only: 'without waiting for a poll',
  },
  {
    name: 'publishing: a save leaves the time of the first one',
    mutations: [{ symbol: 'writeSaved', from: /, updatedAt: new Date\(\)/, to: '' }],
    tests: [PUBLISHING],
    only: 'keeps its history',
  },
  {
    name: 'publishing: the audit of a save has no comment',
    mutations: [
      { symbol: 'ConfigurationService.change', from: /\.\.\.\(comment !== null && \{ comment \}\),/, to: '' },
    ],
    tests: [PUBLISHING],
    only: 'keeps its history',
  },
  {
    name: 'publishing: the audit of a save has one version twice',
    mutations: [
      {
        symbol: 'ConfigurationService.change',
        from: /before: \{ version,/,
        to: 'before: { version: version + 1,',
      },
    ],
    tests: [PUBLISHING],
    only: 'keeps its history',
  },
  {
    name: 'publishing: a document of an older version keeps its banner',
    mutations: [{ symbol: 'SiteReader.read', from: /bannerScript: currentScript\(document\),/, to: '' }],
    tests: [CDN],
    only: 'older version has published',
  },
  ...[
    { name: 'configuration', symbol: 'CdnController.configuration', only: 'older version has published' },
    { name: 'banner', symbol: 'CdnController.sendPageScript', only: 'an older one as long' },
  ].map(({ name, symbol, only }) => ({
    name: `publishing: the published ${name} is not found by an id in upper case`,
    mutations: [{ symbol, from: /projectId\.toLowerCase\(\)/, to: 'projectId' }],
    tests: [CDN],
    only,
  })),
  {
    name: 'publishing: a save that changes nothing is not in the history',
    mutations: [
      {
        symbol: 'insertPublication',
        from: /last\.configuration_version = \$\{configurationVersion\}/,
        to: 'last.configuration_version <= ${configurationVersion}',
      },
    ],
    tests: [DRAFTS],
    only: 'a save that changes nothing',
  },
  {
    name: 'publishing: a publication is compared with one of another project',
    mutations: [{ symbol: 'configurationBefore', from: /\s*\.where\('projectId', '=', projectId\)/, to: '' }],
    tests: [DRAFTS],
    only: 'a save that changes nothing',
  },
  {
    name: 'publishing: a user is not named as author',
    mutations: [{ symbol: 'authorsOf', from: /userIds: idsOf\('user'\)/, to: 'userIds: []' }],
    tests: [DRAFTS],
    only: 'names nobody',
  },
  {
    name: 'drafts: those beyond the first batch do not expire',
    mutations: [{ symbol: 'DraftExpiry.expire', from: /if \(expired < BATCH_ROWS\) break;/, to: 'break;' }],
    tests: [DRAFTS],
    only: 'by its last save',
  },
  {
    name: 'drafts: a save does not put the expiry off',
    mutations: [{ symbol: 'writeDraft', from: /, updatedAt: new Date\(\)/, to: '' }],
    tests: [DRAFTS],
    only: 'by its last save',
  },
];
