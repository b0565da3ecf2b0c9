/**
 * Reads members of a payload. Its shape depends on the sender's API version, so a member of an
 * unexpected type reads as null.
 */
export type JsonObject = Record<string, unknown>;

/** The provider's ids; anything longer or with other characters is not one. */
export const STRIPE_ID = /^[\w-]{1,255}$/;

export function asObject(value: unknown): JsonObject | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : null;
}

export function asList(value: unknown): JsonObject[] {
  const entries: unknown[] = Array.isArray(value) ? value : [];
  return entries.map(asObject).filter((entry) => entry !== null);
}

/** An id, or the id of an object that was expanded in its place. */
export function asId(value: unknown): string | null {
  const id = asObject(value)?.id ?? value;
  return typeof id === 'string' && STRIPE_ID.test(id) ? id : null;
}

/** The end of the year 9999; PostgreSQL does not read the text of a later instant. */
export const SECONDS_MAX = 253_402_300_799;

/** Unix time in seconds, the provider's format for instants. */
export function asInstant(value: unknown): Date | null {
  if (typeof value !== 'number' || !(value > 0 && value <= SECONDS_MAX)) return null;
  return new Date(value * 1000);
}

export function asText(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

/** The earlier of two instants; null means none. */
export function earlier(a: Date | null, b: Date | null): Date | null {
  if (a === null || b === null) return a ?? b;
  return a <= b ? a : b;
}
