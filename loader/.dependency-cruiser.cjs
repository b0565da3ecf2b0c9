/**
 * What the scripts in a customer's page may import. Each entry is bundled by itself, so a file that both loader and banner
 * import is there twice: it may hold no state.
 */
const SHARED_WITH_BANNER = ['site', 'storage', 'own-global', 'pristine-document'];
const SHARED_WITH_PREVIEW = ['site', 'mode'];
const SHARED_WITH_SIGNALS = ['site', 'own-global', 'pristine-document'];
const SHARED_WITH_SERVICES = ['site', 'own-global', 'pristine-document', 'service-grants', 'banner/element'];

const files = (names) => `^loader/(${names.join('|')})\\.ts$`;

module.exports = {
  forbidden: [
    {
      name: 'no-cycles',
      comment: 'Two files that need each other are one file, or one of them knows too much.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'loader-without-banner',
      comment: 'The loader loads the banner when it is needed; an import would add it to every page.',
      severity: 'error',
      from: { path: '^loader/[^/]+$' },
      to: { path: '^loader/[^/]+/' },
    },
    {
      name: 'banner-without-loader',
      comment:
        'The banner gets the configuration and the choice from the loader. A second copy would know neither.',
      severity: 'error',
      from: { path: '^loader/banner/' },
      to: { path: '^loader/', pathNot: ['^loader/banner/', files(SHARED_WITH_BANNER)] },
    },
    {
      name: 'preview-without-both',
      comment: 'The preview shows the banner that visitors get, so it loads the published file.',
      severity: 'error',
      from: { path: '^loader/preview/' },
      to: { path: '^loader/', pathNot: ['^loader/preview/', files(SHARED_WITH_PREVIEW)] },
    },
    {
      name: 'signals-without-loader',
      comment: 'Signals get what is granted from the loader, and run with or without our banner.',
      severity: 'error',
      from: { path: '^loader/signals/' },
      to: { path: '^loader/', pathNot: ['^loader/signals/', files(SHARED_WITH_SIGNALS)] },
    },
    {
      name: 'services-without-banner',
      comment: 'The part gets what it needs from the banner; elements are built by the same functions.',
      severity: 'error',
      from: { path: '^loader/services/' },
      to: { path: '^loader/', pathNot: ['^loader/services/', files(SHARED_WITH_SERVICES)] },
    },
    {
      name: 'nothing-else',
      comment: 'No package and no part of the service runs in a customer’s page.',
      severity: 'error',
      from: {},
      to: { pathNot: '^loader/' },
    },
  ],
  options: { tsPreCompilationDeps: true, tsConfig: { fileName: 'loader/tsconfig.json' } },
};
