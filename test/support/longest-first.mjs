import Sequencer from '@jest/test-sequencer';

/** Suites of more than a minute on two cores, by their durations there. */
const LONGEST = [
  'dashboard/one-path.browser',
  'scans/techniques.browser',
  'scans/isolation.browser',
  'scans/states.browser',
  'dashboard/settings.browser',
  'scans/browser-failures.browser',
  'scans/scan.browser',
  'scans/word-buttons.browser',
  'app/commands.slow',
  'forwarding/retry-outage.slow',
  'faults/faults.slow',
  'standalone/standalone.slow',
  'app/hostile-input.slow',
  'access/authorization.slow',
  'operations/ops.slow',
];

/**
 * In a new checkout Jest knows no durations and starts the largest files first. Some of these
 * suites would then start last, and one worker would run for minutes alone.
 */
export default class LongestFirst extends Sequencer {
  sort(tests) {
    const rank = ({ path }) => {
      const index = LONGEST.findIndex((name) => path.endsWith(`/test/${name}.spec.ts`));
      return index < 0 ? LONGEST.length : index;
    };
    return super.sort(tests).toSorted((a, b) => rank(a) - rank(b));
  }
}
