/** Both ends distinguish an ID from its neighbors: a UUIDv7 starts with its time and ends with random bits. */
const HEAD = 8;
const TAIL = 6;

/** The id with its middle left out, where that makes it shorter. */
export function shortId(id: string): string {
  return id.length > HEAD + TAIL + 1 ? `${id.slice(0, HEAD)}…${id.slice(-TAIL)}` : id;
}
