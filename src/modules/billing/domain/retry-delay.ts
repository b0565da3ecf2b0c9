import { type BackOff, backOffMs } from '../../../platform/time/back-off.js';

/** Claims of one event; then it is dead, and an operator decides. */
export const EVENT_ATTEMPTS_MAX = 12;
/**
 * Claims of an event whose project is unknown: the event that names it follows within seconds, or
 * never.
 */
export const UNMAPPED_ATTEMPTS_MAX = 6;
/**
 * Claims of an end that the provider's response does not show yet: after two minutes it needs
 * attention.
 */
export const STILL_ALIVE_ATTEMPTS_MAX = 5;

const BACK_OFF: BackOff = { baseMs: 2_000, factor: 3, longestMs: 60 * 60_000 };

/** The wait after the n-th attempt: 2 s, 6 s, 18 s … one hour at most, five hours in all. */
export function eventRetryDelayMs(attempts: number): number {
  return backOffMs(attempts, BACK_OFF);
}
