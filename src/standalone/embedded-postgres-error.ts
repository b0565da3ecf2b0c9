/** Thrown if the embedded server cannot run here; the message contains the fix. */
export class EmbeddedPostgresError extends Error {}
