import type { StateReason } from '../../modules/scans/domain/scan-state.js';

export type Choice = 'reject' | 'accept' | 'withdraw';

/** `made`: `reason` describes a peculiarity of it. `failed`: no choice was made, or it is unknown. */
export type ChoiceResult =
  { kind: 'made'; driver: string; reason: 'click_mismatch' | null } | { kind: 'failed'; reason: StateReason };

/** Called directly before the click of the choice: earlier events do not count. */
export type BeforeChoice = () => Promise<void>;
