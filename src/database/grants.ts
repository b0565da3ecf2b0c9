import type { ClientBase } from 'pg';

/** What the role that serves may do with a table. */
interface TableGrant {
  privileges: string[];
  /** Columns that it may change; null: all of them. */
  updatable: string[] | null;
}

const SERVED: TableGrant = { privileges: ['SELECT', 'INSERT', 'DELETE'], updatable: null };
const APPEND_ONLY: TableGrant = { privileges: ['SELECT', 'INSERT'], updatable: [] };
const READ_ONLY: TableGrant = { privileges: ['SELECT'], updatable: [] };

/**
 * Tables that are not simply read and written. What is written down for good can be neither changed nor taken
 * back with the service's own rights; where a project goes, its rows go by their foreign key, which needs none.
 */
const EXCEPTIONS: Record<string, TableGrant> = {
  'public.tier_change': APPEND_ONLY,
  'public.billing_price': APPEND_ONLY,
  'public.billing_grant_log': APPEND_ONLY,
  // Old ones are taken away, and the same one published again; what was published stays as it was.
  'public.publication': { privileges: ['SELECT', 'INSERT', 'DELETE'], updatable: ['at'] },
  'public.schema_migration': READ_ONLY,
  'bullmq.migration': READ_ONLY,
};

const PRIVILEGES = ['SELECT', 'INSERT', 'DELETE', 'TRUNCATE', 'REFERENCES', 'TRIGGER'];

/**
 * Brings the rights of `role` to what the service needs at run time, in the owner's transaction: rows of the tables
 * and the owner's functions, no table, role or file. Does nothing where they are so, and for a role that owns the
 * tables or is superuser, of which no right can be taken.
 */
export async function grantToRuntime(client: ClientBase, role: string): Promise<void> {
  const { rows: owners } = await client.query(
    `select from pg_roles where rolname = $1 and (rolsuper or pg_has_role(rolname, current_user, 'USAGE'))`,
    [role],
  );
  if (owners.length > 0) return;
  const name = client.escapeIdentifier(role);
  for (const schema of await schemasLacking(client, role)) {
    await client.query(`grant usage on schema ${schema} to ${name}`);
    await client.query(`grant usage, select on all sequences in schema ${schema} to ${name}`);
    await client.query(`grant execute on all functions in schema ${schema} to ${name}`);
  }
  for (const table of await tablesOf(client, role)) {
    const wanted = EXCEPTIONS[table.name] ?? SERVED;
    if (isHeld(table, wanted)) continue;
    await client.query(`revoke all on table ${table.quoted} from ${name}`);
    // Rights on single columns outlive a `revoke all` of the table's.
    if (table.updatable.length > 0)
      await client.query(`revoke update (${table.updatable.join()}) on table ${table.quoted} from ${name}`);
    const columns = wanted.updatable?.map((column) => client.escapeIdentifier(column)) ?? null;
    const update = columns === null ? ['UPDATE'] : columns.length > 0 ? [`UPDATE (${columns.join()})`] : [];
    await client.query(
      `grant ${[...wanted.privileges, ...update].join(', ')} on table ${table.quoted} to ${name}`,
    );
  }
}

/** Those of our schemas that the role may not enter, or of which it may not use a sequence or a function. */
async function schemasLacking(client: ClientBase, role: string): Promise<string[]> {
  const { rows } = await client.query<{ schema: string }>(
    `select nspname as schema from pg_namespace n
     where nspname in ('public', 'bullmq') and not (
       has_schema_privilege($1, n.oid, 'USAGE')
       -- Asked of every sequence: the server may put the conditions of one query into another order.
       and (select bool_and(case when c.relkind = 'S' then has_sequence_privilege($1, c.oid, 'USAGE') else true end)
            from pg_class c where c.relnamespace = n.oid) is not false
       and (select bool_and(has_function_privilege($1, p.oid, 'EXECUTE'))
            from pg_proc p where p.pronamespace = n.oid) is not false)`,
    [role],
  );
  return rows.map(({ schema }) => schema);
}

interface HeldGrant {
  name: string;
  quoted: string;
  privileges: string[];
  /** Quoted names of the columns that the role may change. */
  updatable: string[];
  columns: number;
}

function isHeld(held: HeldGrant, wanted: TableGrant): boolean {
  const updatable = wanted.updatable?.map((column) => column).toSorted() ?? null;
  return (
    held.privileges.toSorted().join() === wanted.privileges.toSorted().join() &&
    (updatable === null
      ? held.updatable.length === held.columns
      : held.updatable.toSorted().join() === updatable.join())
  );
}

/** Every table but partitions, which are reached through their parent alone. */
async function tablesOf(client: ClientBase, role: string): Promise<HeldGrant[]> {
  const { rows } = await client.query<HeldGrant>(
    `select n.nspname || '.' || c.relname as name, c.oid::regclass::text as quoted,
            array(select p from unnest($2::text[]) p where has_table_privilege($1, c.oid, p)) as privileges,
            array(select quote_ident(attname) from pg_attribute a
                  where attrelid = c.oid and attnum > 0 and not attisdropped
                  and has_column_privilege($1, c.oid, attnum, 'UPDATE')) as updatable,
            (select count(*)::int from pg_attribute
             where attrelid = c.oid and attnum > 0 and not attisdropped) as columns
     from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where n.nspname in ('public', 'bullmq') and c.relkind in ('r', 'p') and not c.relispartition`,
    [role, PRIVILEGES],
  );
  return rows;
}
