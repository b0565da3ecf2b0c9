import { readlinkSync } from 'node:fs';
import { basename } from 'node:path';
import { constants, setPriority } from 'node:os';

/**
 * Lowers the scheduling priority of the calling thread, so that on a busy machine it leaves the processor to the other
 * threads. Only Linux has priorities of threads; elsewhere, and without /proc, this does nothing.
 */
export function lowerThreadPriority(): void {
  try {
    // Resolved for the calling thread, as in "123/task/456".
    const thread = Number(basename(readlinkSync('/proc/thread-self')));
    setPriority(thread, constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // The thread works at the usual priority.
  }
}
