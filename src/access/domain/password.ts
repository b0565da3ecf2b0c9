/** Lengths of a password in characters; the longest keeps one guess from costing more than a moment. */
export const PASSWORD_CHARACTERS_MIN = 8;
export const PASSWORD_CHARACTERS_MAX = 128;
