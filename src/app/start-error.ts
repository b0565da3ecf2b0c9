/** A start that cannot succeed, told in a sentence rather than a stack. */
export class StartError extends Error {}
