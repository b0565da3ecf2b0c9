/** The visitor hash in SQL, as domain/visitor-reference.ts computes it; over the project as `p`. */

/** The value that names a visitor: a text that is not empty, or a number; null for anything else. `extra` is jsonb. */
export function visitorValueSql(extra: string): string {
  return `case jsonb_typeof(${extra} -> p.visitor_reference_field)
  when 'string' then nullif(${extra} ->> p.visitor_reference_field, '')
  when 'number' then ${extra} ->> p.visitor_reference_field end`;
}

/** Its hash; null where there is no value. */
export function visitorHashSql(value: string): string {
  return `sha256(p.visitor_salt || convert_to(${value}, 'UTF8'))`;
}
