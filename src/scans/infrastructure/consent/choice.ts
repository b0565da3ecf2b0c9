import type { StateReason } from '../../domain/scan-state.js';

export type Choice = 'reject' | 'accept' | 'withdraw';

/** `made`: `reason` says what was odd about it. `failed`: no choice was made, or it is unknown. */
export type ChoiceResult =
  { kind: 'made'; driver: string; reason: 'click_mismatch' | null } | { kind: 'failed'; reason: StateReason };

/** Called directly before the click that makes the choice: what happened until then does not count. */
export type BeforeChoice = () => Promise<void>;
