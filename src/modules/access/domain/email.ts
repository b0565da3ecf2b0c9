/** better-auth's rule for addresses (zod): an address that it rejects could never sign in. */
export const EMAIL =
  /^(?:[A-Za-z0-9_'+-]+\.)*[A-Za-z0-9_'+-]*[A-Za-z0-9_+-]@(?:[A-Za-z0-9][A-Za-z0-9-]*\.)+[A-Za-z]{2,}$/;

/** Longest deliverable address (RFC 5321). */
export const EMAIL_CHARACTERS_MAX = 254;
