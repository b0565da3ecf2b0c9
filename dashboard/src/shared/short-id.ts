/** Both ends of an id are what tells it from its neighbours: a UUIDv7 begins with its time and ends with chance. */
const HEAD = 8;
const TAIL = 6;

/** The id with its middle left out, where that makes it shorter. */
export function shortId(id: string): string {
  return id.length > HEAD + TAIL + 1 ? `${id.slice(0, HEAD)}…${id.slice(-TAIL)}` : id;
}
