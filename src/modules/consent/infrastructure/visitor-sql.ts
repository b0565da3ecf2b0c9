import { type RawBuilder, sql } from 'kysely';

/**
 * The visitor hash in SQL, equal to domain/visitor-reference.ts; over the visitor reference as `v`.
 */

/**
 * The value that identifies a visitor: a non-empty text or a number; null for anything else.
 * `extra` is jsonb.
 */
export function visitorValueSql(extra: RawBuilder<unknown>): RawBuilder<string | null> {
  return sql`case jsonb_typeof(${extra} -> v.field)
  when 'string' then nullif(${extra} ->> v.field, '')
  when 'number' then ${extra} ->> v.field end`;
}

/** Its hash; null without a value. */
export function visitorHashSql(value: RawBuilder<string | null>): RawBuilder<Buffer | null> {
  return sql`sha256(v.salt || convert_to(${value}, 'UTF8'))`;
}
