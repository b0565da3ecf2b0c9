/** How long a project's audit is kept. The owner's function that drops partitions refuses to go below it. */
export const AUDIT_MONTHS_KEPT = 24;
/** How long a person's own log is kept; it goes with the account, if that goes first. */
export const SECURITY_LOG_MONTHS_KEPT = 12;
