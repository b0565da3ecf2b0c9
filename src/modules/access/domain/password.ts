/** Lengths of a password in characters; the maximum bounds the cost of a guess. */
export const PASSWORD_CHARACTERS_MIN = 8;
export const PASSWORD_CHARACTERS_MAX = 128;
