// As test/support/native-jest-circus.mjs, for Stryker: the object that activates mutants and records coverage is in
// the context that Jest created for the file. This lets Node's modules see the same object.
import runNatively from '../support/native-jest-circus.mjs';

/** `testRunner` of test/mutation/jest.config.mjs. */
export default function runMutant(globalConfig, config, environment, ...rest) {
  const switches = environment.global.__stryker__;
  if (switches) {
    globalThis.__stryker__ = switches;
    // Instrumented modules read it once, when they are loaded.
    switches.activeMutant = process.env.__STRYKER_ACTIVE_MUTANT__;
  }
  return runNatively(globalConfig, config, environment, ...rest);
}
