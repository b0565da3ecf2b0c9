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

/** Sentences of the API. The dashboard has its own, in its languages. */
export const STATE_SENTENCES: Readonly<Record<StateReason, string>> = {
  no_pages: 'No page was loaded that this state could be tested on.',
  unverified_host:
    'The loader of this project was not found on the host, so its page is loaded once a day and nothing is clicked.',
  no_banner: 'No consent banner was found.',
  no_control: 'The banner has no control for this choice that the scanner recognizes.',
  no_withdrawal: 'No control was found that reopens the banner to withdraw consent.',
  click_failed:
    'The choice was clicked without an effect: the banner stayed, and neither storage nor consent signals changed.',
  click_mismatch: 'The choice was made, but clicking it in the banner had another result.',
  asked_again: 'The banner asks again on a page that is loaded after the refusal.',
  pages_failed: 'Not all pages could be loaded in this state.',
  time_limit: 'The state reached its time limit, or the scan did.',
  byte_limit: 'The scan reached its limit of transferred data.',
  browser_failed: 'The browser could not be started, or stopped twice.',
  memory_limit: 'The pages needed more memory than a scan allows.',
  disk_limit: 'The pages stored more data than a scan allows.',
  scanner_error: 'A page caused an error in the scanner.',
  scanner_stopped: 'The scanner stopped twice while it tested this state.',
  scan_ended: 'The scan ended before this state was tested.',
  owner_skipped: 'This state was left out on request.',
};
