/** The visitor hash in SQL, as domain/visitor-reference.ts computes it; over its visitor reference as `v`. */

/** The value that names a visitor: a text that is not empty, or a number; null for anything else. `extra` is jsonb. */
export function visitorValueSql(extra: string): string {
  return `case jsonb_typeof(${extra} -> v.field)
  when 'string' then nullif(${extra} ->> v.field, '')
  when 'number' then ${extra} ->> v.field end`;
}

/** Its hash; null where there is no value. */
export function visitorHashSql(value: string): string {
  return `sha256(v.salt || convert_to(${value}, 'UTF8'))`;
}
