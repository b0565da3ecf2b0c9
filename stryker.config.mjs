/**
 * Mutants of the pure rules: `npm run mutate`, not part of `.ci/run`. The specs that lie beside them must notice.
 * What is not pure has its planted defects in test/mutation/planted.ts.
 */
export default {
  // Also pure files of the platform, by name: the others there touch the world.
  mutate: [
    'src/{modules,platform}/*/domain/*.ts',
    'src/platform/network/client-network.ts',
    'src/platform/limits/adaptive-batch.ts',
    'src/platform/time/back-off.ts',
    'src/platform/limits/fair-semaphore.ts',
    'src/platform/identity/ids.ts',
    'src/platform/secrets/without-keys.ts',
    // A list of names, no rule.
    '!src/modules/licensing/domain/preview-host-suffixes.ts',
    '!src/**/*.spec.ts',
  ],
  testRunner: 'jest',
  jest: { projectType: 'custom', configFile: 'test/mutation/jest.config.mjs', enableFindRelatedTests: true },
  coverageAnalysis: 'perTest',
  // Strings are what people read; rules are not in them.
  mutator: { excludedMutations: ['StringLiteral'] },
  // No single test activates mutants that run once, when a module loads: constants are planted by name instead.
  ignoreStatic: true,
  concurrency: 2,
  timeoutMS: 5_000,
  thresholds: { high: 95, low: 90, break: 90 },
  reporters: ['progress-append-only', 'clear-text', 'json'],
  clearTextReporter: { allowColor: false, allowEmojis: false, logTests: false, reportTests: false },
  jsonReporter: { fileName: 'node_modules/.cache/mutation.json' },
  tempDirName: '.mutants',
};
