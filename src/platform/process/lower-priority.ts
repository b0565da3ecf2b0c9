import { constants, getPriority, setPriority } from 'node:os';

/** The lowest priority. */
export const NICE_MAX = constants.priority.PRIORITY_LOW;

/**
 * Adds to the nice value of the main thread and of child processes that it starts afterwards. Only a privileged process
 * could raise the priority again.
 */
export function lowerPriority(nice: number): void {
  try {
    setPriority(Math.min(getPriority() + nice, NICE_MAX));
  } catch {
    // Some containers forbid it.
  }
}
