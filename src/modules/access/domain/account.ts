/** better-auth's rule for addresses (zod): an address that it rejects could never sign in. */
export const EMAIL =
  /^(?:[A-Za-z0-9_'+-]+\.)*[A-Za-z0-9_'+-]*[A-Za-z0-9_+-]@(?:[A-Za-z0-9][A-Za-z0-9-]*\.)+[A-Za-z]{2,}$/;

/** Longest deliverable address (RFC 5321). */
export const EMAIL_CHARACTERS_MAX = 254;

/** Lengths of a password in characters; the maximum bounds the cost of a guess. */
export const PASSWORD_CHARACTERS_MIN = 8;
export const PASSWORD_CHARACTERS_MAX = 128;

/** The demo's user. Its domain is reserved, so no mail ever reaches the address. */
export const DEMO_OWNER_EMAIL = 'demo@example.com';
