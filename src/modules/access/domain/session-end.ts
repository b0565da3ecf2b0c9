/** Maximum lifetime of a session, independent of extensions. */
export const SESSION_DAYS_MAX = 30;

const DAY_MS = 24 * 60 * 60 * 1000;

/** When a session ends: after its own expiry, or 30 days after it was opened, whichever is first. */
export function sessionEnd({ createdAt, expiresAt }: { createdAt: Date; expiresAt: Date }): Date {
  return new Date(Math.min(expiresAt.getTime(), createdAt.getTime() + SESSION_DAYS_MAX * DAY_MS));
}
