/** A partition of the outbox. */
export interface PartitionState {
  part: number;
  /** Size of its table, without indexes; 0 after a truncation. */
  bytes: number;
  /** Estimated number of messages. */
  liveRows: number;
  /** Whether new messages go to it. */
  isOpen: boolean;
}

/** The table of a partition. */
export function partitionTable(part: number): string {
  return `outbox_message_${part}`;
}

/**
 * A partition of this size is closed. Behind an open transaction the entries of all settled messages stay, and each
 * claim skips them: with 4 MiB, about 13,000 of them.
 */
export const ROTATE_BYTES = 4 * 1024 * 1024;
/** Space of a message with the fill factor of the table. */
const ROW_BYTES = 256;
/** Partitions at most, as in `outbox_open`. */
const PARTITIONS_MAX = 32;
/** How long to skip a closed partition in which nothing could be claimed. */
const RECHECK_MS = 500;

/**
 * The partition that new messages go to next; null: the open one stays. It is closed once it is
 * large and settled messages take more than half of it, so moving the others costs less than was
 * settled. Partitions are used in a ring.
 */
export function nextPart(states: readonly PartitionState[]): number | null {
  const open = states.find(({ isOpen }) => isOpen);
  if (!open || open.bytes < ROTATE_BYTES || open.liveRows * ROW_BYTES * 2 > open.bytes) return null;
  const empty = inRing(states, open.part).find(({ bytes, isOpen }) => bytes === 0 && !isOpen);
  if (empty) return empty.part;
  // Transactions that have locks on all partitions, such as those of pg_dump, prevent truncation.
  const unused = Math.max(...states.map(({ part }) => part)) + 1;
  return unused < PARTITIONS_MAX ? unused : null;
}

/** The partitions that one worker claims from. */
export class ClaimedParts {
  private open = 0;
  private closed: number[] = [];
  /** When to check a closed partition again, by its number. */
  private readonly recheckMs = new Map<number, number>();

  /** Replaces the known state of all partitions. */
  observe(states: readonly PartitionState[]): void {
    const open = states.find(({ isOpen }) => isOpen);
    if (open) this.open = open.part;
    this.closed = inRing(states, this.open)
      .filter(({ bytes, part }) => bytes > 0 && part !== this.open)
      .map(({ part }) => part);
    for (const part of this.recheckMs.keys()) if (!this.closed.includes(part)) this.recheckMs.delete(part);
  }

  /** Records the open partition that a claim reported; returns whether it changed. */
  opened(part: number): boolean {
    if (part === this.open) return false;
    if (!this.closed.includes(this.open)) this.closed.push(this.open);
    this.closed = this.closed.filter((other) => other !== part);
    this.open = part;
    return true;
  }

  /** Whether closed partitions may have messages. */
  get hasClosed(): boolean {
    return this.closed.length > 0;
  }

  /** The partitions to claim from now, oldest first. */
  due(nowMs: number): number[] {
    const closed = this.closed.filter((part) => (this.recheckMs.get(part) ?? nowMs) <= nowMs);
    return [...closed, this.open];
  }

  /** Records that nothing could be claimed in a partition. */
  foundNothing(part: number, nowMs: number): void {
    if (part !== this.open) this.recheckMs.set(part, nowMs + RECHECK_MS);
  }
}

/** The partitions in the order of their use, starting after `part`. */
function inRing(states: readonly PartitionState[], part: number): PartitionState[] {
  return [...states.filter((state) => state.part > part), ...states.filter((state) => state.part <= part)];
}
