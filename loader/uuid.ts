/** A UUIDv7 of the instant, in whole milliseconds: one for each decision, so that a choice that is sent twice is stored once. */
export function uuidV7(nowMs: number): string {
  const time = nowMs.toString(16).padStart(12, '0');
  // Four random bits of each byte: a digit.
  const random = crypto
    .getRandomValues(new Uint8Array(18))
    .reduce((digits, byte) => digits + (byte & 15).toString(16), '');
  return `${time}7${random.slice(0, 3)}8${random.slice(3)}`.replace(
    /(.{8})(.{4})(.{4})(.{4})/,
    '$1-$2-$3-$4-',
  );
}
