/**
 * Retention of a project's audit log. The owner's function that drops partitions enforces it as a
 * minimum.
 */
export const AUDIT_MONTHS_KEPT = 24;
/** Retention of a user's own log; it is deleted earlier with the account. */
export const SECURITY_LOG_MONTHS_KEPT = 12;
