/** A UUIDv7: one for each decision, so that a choice that is sent twice is stored once. */
export function uuidV7(nowMs: number): string {
  // Four random bits of each byte: a digit.
  const random = [...crypto.getRandomValues(new Uint8Array(18))].map((byte) => (byte & 15).toString(16));
  return `0${nowMs.toString(16)}${random.join('')}`.replace(/(.{8})(....)(...)(...)/, '$1-$2-7$3-8$4-');
}
