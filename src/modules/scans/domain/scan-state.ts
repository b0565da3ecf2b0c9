/** The visitor's action before a page is observed, in the order of testing. */
export const SCAN_STATES = ['before', 'reject', 'accept', 'withdraw', 'signal'] as const;
export type ScanState = (typeof SCAN_STATES)[number];

export const STATE_STATUSES = ['pending', 'running', 'tested', 'not_tested', 'skipped'] as const;
export type StateStatus = (typeof STATE_STATUSES)[number];

/** States that an owner may leave out. */
export const SKIPPABLE_STATES = ['reject', 'accept', 'withdraw', 'signal'] as const;
export type SkippableState = (typeof SKIPPABLE_STATES)[number];

/** The states that a scan leaves out: a withdrawal needs an acceptance first. */
export function statesToSkip(chosen: readonly SkippableState[]): SkippableState[] {
  return SKIPPABLE_STATES.filter(
    (state) => chosen.includes(state) || (state === 'withdraw' && chosen.includes('accept')),
  );
}

/** Why a state was not tested, or not on all of its pages. */
export const STATE_REASONS = [
  'no_pages',
  'unverified_host',
  'no_banner',
  'no_control',
  'no_withdrawal',
  'click_failed',
  'click_mismatch',
  'asked_again',
  'pages_failed',
  'time_limit',
  'byte_limit',
  'browser_failed',
  'memory_limit',
  'disk_limit',
  'scanner_error',
  'scanner_stopped',
  'scan_ended',
  'owner_skipped',
] as const;
export type StateReason = (typeof STATE_REASONS)[number];
