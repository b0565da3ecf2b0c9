/** What better-auth takes for an address (zod's rule): one that it does not take could never sign in. */
export const EMAIL =
  /^(?:[A-Za-z0-9_'+-]+\.)*[A-Za-z0-9_'+-]*[A-Za-z0-9_+-]@(?:[A-Za-z0-9][A-Za-z0-9-]*\.)+[A-Za-z]{2,}$/;

/** Longest address that can be delivered to (RFC 5321). */
export const EMAIL_CHARACTERS_MAX = 254;
