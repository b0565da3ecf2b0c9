/** A start that cannot succeed, reported as a sentence instead of a stack. */
export class StartError extends Error {}
