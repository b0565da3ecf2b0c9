// As test/support/native-jest-circus.mjs, for Stryker: what switches a mutant on, and tells which test reaches it, lies
// in the context that Jest made for the file. Node's own modules see the same object.
import runNatively from '../support/native-jest-circus.mjs';

/** `testRunner` of test/mutation/jest.config.mjs. */
export default function runMutant(globalConfig, config, environment, ...rest) {
  const switches = environment.global.__stryker__;
  if (switches) {
    globalThis.__stryker__ = switches;
    // Instrumented modules look there as they are loaded, and these are loaded once.
    switches.activeMutant = process.env.__STRYKER_ACTIVE_MUTANT__;
  }
  return runNatively(globalConfig, config, environment, ...rest);
}
