import { createHash } from 'node:crypto';

/** Hexadecimal digits of a UUID. */
const UUID_DIGITS = 32;
/** Offsets of the version and the variant. */
const VERSION_AT = 12;
const VARIANT_AT = 16;
/** UUIDs "for custom use" (RFC 9562 §5.8). Projects are version 7, so no name is ever a project's id. */
const VERSION = '8';
const VARIANT_BITS = 0b1000;
const VARIANT_FREE_BITS = 0b0011;

/**
 * The ordering key of messages that belong to no project: the first 128 bits of the name's SHA-256,
 * as a UUID of version 8.
 */
export function namedKey(name: string): string {
  const digits = Array.from(createHash('sha256').update(name, 'utf8').digest('hex').slice(0, UUID_DIGITS));
  digits[VERSION_AT] = VERSION;
  const free = Number.parseInt(digits[VARIANT_AT] ?? '', 16) & VARIANT_FREE_BITS;
  digits[VARIANT_AT] = (VARIANT_BITS | free).toString(16);
  return digits.join('').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
