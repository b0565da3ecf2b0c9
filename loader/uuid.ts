/** A UUIDv7 of the instant: one for each decision, so that a choice that is sent twice is stored once. */
export function uuidV7(nowMs: number): string {
  const hex = [...crypto.getRandomValues(new Uint8Array(10))]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('');
  const time = Math.floor(nowMs).toString(16).padStart(12, '0');
  // Version 7, and the variant's two bits.
  const variant = '89ab'[parseInt(hex.charAt(3), 16) & 3];
  return `${time.slice(0, 8)}-${time.slice(8)}-7${hex.slice(0, 3)}-${variant}${hex.slice(4, 7)}-${hex.slice(7, 19)}`;
}
