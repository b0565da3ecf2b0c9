import type { TestDatabase } from './database.js';

/** The tables of a database with a text anywhere in a row. @throws if there are fewer tables than the service has */
export async function tablesWith({ query }: Pick<TestDatabase, 'query'>, text: string): Promise<string[]> {
  const tables = await query<{ name: string }>(
    `select format('%I.%I', table_schema, table_name) as name from information_schema.tables
     where table_schema not in ('pg_catalog', 'information_schema') and table_type = 'BASE TABLE'`,
  );
  if (tables.length <= 50) throw new Error(`There are only ${tables.length} tables.`);
  const found: string[] = [];
  for (const { name } of tables) {
    const rows = await query(`select from ${name} r where r::text like '%' || $1 || '%'`, [text]);
    if (rows.length > 0) found.push(name);
  }
  return found;
}
