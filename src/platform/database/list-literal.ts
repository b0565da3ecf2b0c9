/** Element types of a list in a statement. */
export type ListValue = string | number | null;

/** Types of the database whose values, as text, have nothing in them that a list must quote. */
const PLAIN_TYPES: readonly string[] = ['uuid', 'int', 'bigint'];

/**
 * A parameter of type `type[]`, as PostgreSQL reads it. The driver makes one of a list as well, but looks at each value
 * for what to quote, whatever it is: of the eleven lists of a settled batch that took 1.7 µs a message.
 */
export function listLiteral(type: string, values: readonly ListValue[]): string {
  const isPlain = PLAIN_TYPES.includes(type);
  return `{${values.map((value) => (value === null ? 'NULL' : isPlain ? value : quoted(String(value)))).join(',')}}`;
}

const QUOTE_OR_BACKSLASH = /["\\]/;

/** Most texts have nothing to escape: to look first takes 0.03 µs, to replace nothing 0.12. */
function quoted(text: string): string {
  return `"${QUOTE_OR_BACKSLASH.test(text) ? text.replaceAll(/["\\]/g, '\\$&') : text}"`;
}
