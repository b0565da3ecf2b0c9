import { Injectable, Logger, type OnModuleDestroy } from '@nestjs/common';
import { ThrottledLog } from '../../operations/throttled-log.js';
import { ClaimedParts, nextPart, type PartitionState } from '../domain/partition-rotation.js';
import { OutboxPartitions } from '../infrastructure/outbox.partitions.js';

const STEP_MS = 1_000;
/** Steps while nothing was claimed since the last one. */
const IDLE_STEP_MS = 5_000;
/** Messages of a closed partition that are not settled after this time are moved. */
const DRAIN_MS = 3_000;
/**
 * An empty partition is truncated after this time. `pg_dump` locks the tables some time after its
 * snapshot; a truncation between the two would remove messages that the dump must contain.
 */
const EMPTY_MS = 5_000;

/**
 * Closes the open partition of the outbox when settled messages fill it, moves the remaining
 * messages of closed partitions, and truncates them. Vacuum cannot remove settled messages while
 * any transaction stays open (a backup, a report), but a truncation can (ADR 58). Several workers
 * may do so at once.
 */
@Injectable()
export class PartitionRotation implements OnModuleDestroy {
  readonly claimed = new ClaimedParts();
  private readonly failure = new ThrottledLog(
    new Logger(PartitionRotation.name),
    'could not rotate the partitions of the outbox; retrying',
  );
  private timer: NodeJS.Timeout | null = null;
  private running: Promise<void> | null = null;
  private steppedMs = Number.NEGATIVE_INFINITY;
  private hasClaimed = false;
  /** When a partition was first seen closed, and when empty, by its number. */
  private readonly closed = new Map<number, { closedMs: number; emptyMs: number | null }>();

  constructor(private readonly partitions: OutboxPartitions) {}

  /** Rotates until the module is destroyed. */
  start(): void {
    this.timer ??= setInterval(() => {
      const isIdle = !this.hasClaimed && !this.claimed.hasClosed;
      if (isIdle && performance.now() - this.steppedMs < IDLE_STEP_MS) return;
      this.hasClaimed = false;
      this.running ??= this.step()
        .catch((error: unknown) => this.failure.warn(error))
        .finally(() => {
          this.running = null;
        });
    }, STEP_MS);
  }

  /** Called after a claim: the open partition may have grown. */
  noteClaim(): void {
    this.hasClaimed = true;
  }

  async onModuleDestroy(): Promise<void> {
    if (this.timer) clearInterval(this.timer);
    await this.running;
  }

  /** One step; rejects if the database is unavailable. */
  async step(nowMs = performance.now()): Promise<void> {
    this.steppedMs = nowMs;
    const states = await this.partitions.read();
    this.claimed.observe(states);
    const next = nextPart(states);
    if (next !== null) await this.partitions.open(next);
    for (const state of states) await this.reclaim(state, nowMs);
  }

  private async reclaim({ part, bytes, isOpen }: PartitionState, nowMs: number): Promise<void> {
    if (isOpen || bytes === 0) {
      this.closed.delete(part);
      return;
    }
    const seen = this.closed.get(part) ?? { closedMs: nowMs, emptyMs: null };
    this.closed.set(part, seen);
    if (nowMs - seen.closedMs < DRAIN_MS) return;
    while ((await this.partitions.moveForward(part)) > 0);
    seen.emptyMs = (await this.partitions.isEmpty(part)) ? (seen.emptyMs ?? nowMs) : null;
    if (seen.emptyMs !== null && nowMs - seen.emptyMs >= EMPTY_MS) await this.partitions.truncate(part);
  }
}
