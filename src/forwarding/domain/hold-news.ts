import type { Hold } from './hold.js';

/** Owners are told of a hold that lasts for so long, once, and then of its end. */
export const TOLD_AFTER_MS = 5 * 60_000;
/** How often it is looked whether what waited has been sent, so that the end can be told with its numbers … */
export const BACKLOG_LOOK_MS = 30_000;
/** … and when it is told anyway. */
export const BACKLOG_MAX_MS = 24 * 60 * 60_000;

/** What a message asks to have told: of which hold, and its begin or its end. */
export interface HoldNews {
  kind: 'began' | 'ended';
  heldSince: Date;
}

/** `nothing`: it is not so any more, or was told already. */
export type NewsVerdict = { kind: 'tell' } | { kind: 'wait'; afterMs: number } | { kind: 'nothing' };

/**
 * What becomes of a message at this moment. `backlogSince` is when the oldest record that still waits, or is under way,
 * was announced; null: there is none.
 */
export function judgeNews(
  news: HoldNews,
  { hold, backlogSince, now }: { hold: Hold | null; backlogSince: Date | null; now: Date },
): NewsVerdict {
  if (hold?.heldSince?.getTime() !== news.heldSince.getTime()) return { kind: 'nothing' };
  if (news.kind === 'began') {
    if (hold.phase !== 'open' || hold.notifiedAt !== null) return { kind: 'nothing' };
    const afterMs = news.heldSince.getTime() + TOLD_AFTER_MS - now.getTime();
    return afterMs > 0 ? { kind: 'wait', afterMs } : { kind: 'tell' };
  }
  // Where it is held again, the next end has a message of its own.
  if (hold.endedAt === null || hold.notifiedAt === null) return { kind: 'nothing' };
  const isSent = backlogSince === null || backlogSince > hold.endedAt;
  const isLate = now.getTime() >= hold.endedAt.getTime() + BACKLOG_MAX_MS;
  return isSent || isLate ? { kind: 'tell' } : { kind: 'wait', afterMs: BACKLOG_LOOK_MS };
}

/** What is to be told after outcomes have changed a hold; null: nothing. */
export function newsOf(before: Hold, after: Hold): HoldNews | null {
  const { heldSince } = after;
  if (heldSince === null) return null;
  const isNew = before.heldSince?.getTime() !== heldSince.getTime();
  if (after.phase === 'open' && isNew && after.notifiedAt === null) return { kind: 'began', heldSince };
  const hasEnded = before.endedAt === null && after.endedAt !== null;
  return hasEnded && after.notifiedAt !== null ? { kind: 'ended', heldSince } : null;
}
