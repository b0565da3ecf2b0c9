// `--scale 0.01` runs a bench at a hundredth of its counts. `run.mjs` sets the scale before it imports a bench, so
// that the constants at the head of each bench are already scaled.

const RATE_MIN = 50;
let scale = 1;

/** @param {number} value */
export function setScale(value) {
  if (!(value > 0)) throw new Error('--scale must be a number greater than 0');
  scale = value;
}

/** Below full size, figures only show that a bench runs: no target applies. */
export const isFullSize = () => scale >= 1;

/**
 * Rows, requests, messages or projects.
 * @param {number} full
 * @param {number} [least] the smallest count that the bench can measure with
 */
export const scaledCount = (full, least = 1) => Math.max(Math.min(full, least), Math.round(full * scale));

/** @param {number} full */
export const scaledRounds = (full) => Math.max(1, Math.min(full, Math.ceil(full * scale)));

/**
 * @param {number} full
 * @param {number} [least]
 */
export const scaledSeconds = (full, least = 1) =>
  Math.max(Math.min(full, least), Math.min(full, full * scale));

/** Arrivals per second: a busy machine must keep up with them in a short run. @param {number} full */
export const scaledRate = (full) =>
  Math.max(Math.min(full, RATE_MIN), Math.round(full * Math.min(1, Math.sqrt(scale))));

/**
 * `--minutes`, or the scaled default.
 * @param {{ minutes?: string }} options
 * @param {number} full
 * @param {number} [least]
 */
export const minutesOf = ({ minutes }, full, least = 0.1) =>
  minutes === undefined ? Math.max(least, Math.min(full, full * scale)) : Number(minutes);
