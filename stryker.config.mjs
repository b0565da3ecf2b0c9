/**
 * Mutants of the pure rules: `npm run mutate`, not part of `.ci/run`. The specs that lie beside them must notice.
 * What is not pure has its planted defects in test/mutation/planted.ts.
 */
export default {
  // Also the pure files of shared/, by name: the others there touch the world.
  mutate: [
    'src/*/domain/*.ts',
    'src/shared/client-network.ts',
    'src/shared/adaptive-batch.ts',
    'src/shared/back-off.ts',
    'src/shared/fair-semaphore.ts',
    'src/shared/ids.ts',
    'src/shared/without-keys.ts',
    // A list of names, no rule.
    '!src/licensing/domain/preview-host-suffixes.ts',
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
