import type { Hold } from './hold.js';

/** Owners are notified of a hold that lasts this long, and then of its end. */
const NOTIFY_AFTER_MS = 5 * 60_000;
/** Interval of checks of the backlog, whose size is part of the report of the end. */
const BACKLOG_LOOK_MS = 30_000;
/** The end is reported after this time even with a backlog. */
const BACKLOG_MAX_MS = 24 * 60 * 60_000;

/** A notification: the hold, and whether it began or ended. */
export interface HoldNews {
  kind: 'began' | 'ended';
  heldSince: Date;
}

/** `nothing`: it is outdated or was already sent. */
export type NewsVerdict = { kind: 'tell' } | { kind: 'wait'; afterMs: number } | { kind: 'nothing' };

/**
 * Decides about a notification. `backlogSince` is when the oldest record that is queued or in progress was queued;
 * null: none.
 */
export function judgeNews(
  news: HoldNews,
  { hold, backlogSince, now }: { hold: Hold | null; backlogSince: Date | null; now: Date },
): NewsVerdict {
  if (hold?.heldSince?.getTime() !== news.heldSince.getTime()) return { kind: 'nothing' };
  if (news.kind === 'began') {
    if (hold.phase !== 'open' || hold.notifiedAt !== null) return { kind: 'nothing' };
    const afterMs = news.heldSince.getTime() + NOTIFY_AFTER_MS - now.getTime();
    return afterMs > 0 ? { kind: 'wait', afterMs } : { kind: 'tell' };
  }
  // If the project is held again, the next end has its own message.
  if (hold.endedAt === null || hold.notifiedAt === null) return { kind: 'nothing' };
  const isSent = backlogSince === null || backlogSince > hold.endedAt;
  const isLate = now.getTime() >= hold.endedAt.getTime() + BACKLOG_MAX_MS;
  return isSent || isLate ? { kind: 'tell' } : { kind: 'wait', afterMs: BACKLOG_LOOK_MS };
}

/** The notification after outcomes changed a hold; null: none. */
export function newsOf(before: Hold, after: Hold): HoldNews | null {
  const { heldSince } = after;
  if (heldSince === null) return null;
  const isNew = before.heldSince?.getTime() !== heldSince.getTime();
  if (after.phase === 'open' && isNew && after.notifiedAt === null) return { kind: 'began', heldSince };
  const hasEnded = before.endedAt === null && after.endedAt !== null;
  return hasEnded && after.notifiedAt !== null ? { kind: 'ended', heldSince } : null;
}
