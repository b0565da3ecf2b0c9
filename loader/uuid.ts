/** A UUIDv7 of the instant, in whole milliseconds: one for each decision, so that a choice that is sent twice is stored once. */
export function uuidV7(nowMs: number): string {
  const time = nowMs.toString(16).padStart(12, '0');
  // Four random bits of each byte: a digit.
  const random = Array.from(crypto.getRandomValues(new Uint8Array(18)), (byte) =>
    (byte & 15).toString(16),
  ).join('');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${random.slice(0, 3)}-8${random.slice(3, 6)}-${random.slice(6)}`;
}
