import type { ClientBase } from 'pg';

/** Privileges of the run-time role on a table. */
interface TableGrant {
  privileges: string[];
  /** Columns that it may update; null: all. */
  updatable: string[] | null;
}

const SERVED: TableGrant = { privileges: ['SELECT', 'INSERT', 'DELETE'], updatable: null };
const APPEND_ONLY: TableGrant = { privileges: ['SELECT', 'INSERT'], updatable: [] };
const READ_ONLY: TableGrant = { privileges: ['SELECT'], updatable: [] };

/**
 * Tables that are not simply read and written. With the service's rights, permanent rows can be
 * neither changed nor deleted; when a project is deleted, a foreign key deletes its rows, which
 * needs no privilege.
 */
const EXCEPTIONS: Record<string, TableGrant> = {
  'public.audit_event': APPEND_ONLY,
  'public.security_event': APPEND_ONLY,
  'public.tier_change': APPEND_ONLY,
  'public.billing_price': APPEND_ONLY,
  'public.billing_grant_log': APPEND_ONLY,
  'public.evidence_timestamp': APPEND_ONLY,
  // Old publications are deleted, and the same document can be published again; published content never changes.
  'public.publication': { privileges: ['SELECT', 'INSERT', 'DELETE'], updatable: ['at'] },
  // Only the function outbox_open changes it.
  'public.outbox_opening': READ_ONLY,
  'public.schema_migration': READ_ONLY,
  'bullmq.migration': READ_ONLY,
};

const PRIVILEGES = ['SELECT', 'INSERT', 'DELETE', 'TRUNCATE', 'REFERENCES', 'TRIGGER'];

/**
 * Grants `role` the run-time privileges of the service, in the owner's transaction: on rows of the
 * tables and on the owner's functions, but to create no table, role or file. Objects of other
 * owners in these schemas are not changed. Does nothing if the privileges are granted already, or
 * if the role owns the tables or is superuser.
 */
export async function grantToRuntime(client: ClientBase, role: string): Promise<void> {
  const { rows: owners } = await client.query(
    `select from pg_roles where rolname = $1 and (rolsuper or pg_has_role(rolname, current_user, 'USAGE'))`,
    [role],
  );
  if (owners.length > 0) return;
  const name = client.escapeIdentifier(role);
  for (const grant of await lackingGrants(client, role)) await client.query(`grant ${grant} to ${name}`);
  for (const table of await readGrants(client, role)) {
    const expected = EXCEPTIONS[table.name] ?? SERVED;
    if (isHeld(table, expected)) continue;
    await client.query(`revoke all on table ${table.quoted} from ${name}`);
    // A `revoke all` on the table does not revoke privileges on single columns.
    if (table.updatable.length > 0)
      await client.query(`revoke update (${table.updatable.join()}) on table ${table.quoted} from ${name}`);
    const columns = expected.updatable?.map((column) => client.escapeIdentifier(column)) ?? null;
    const update = columns === null ? ['UPDATE'] : columns.length > 0 ? [`UPDATE (${columns.join()})`] : [];
    await client.query(
      `grant ${[...expected.privileges, ...update].join(', ')} on table ${table.quoted} to ${name}`,
    );
  }
}

/** All privileges of a scanner, by table. */
const SCANNER_TABLES: Record<string, string[]> = {
  scan: ['SELECT', 'UPDATE'],
  scan_page: ['SELECT', 'INSERT', 'UPDATE'],
  scan_state: ['SELECT', 'INSERT', 'UPDATE'],
  scan_item: ['SELECT', 'INSERT', 'DELETE'],
  scan_artifact: ['SELECT', 'INSERT', 'UPDATE'],
  scan_host: ['SELECT', 'INSERT', 'UPDATE'],
  scan_host_scan: ['SELECT', 'INSERT', 'UPDATE', 'DELETE'],
  scan_account_hour: ['SELECT', 'INSERT', 'UPDATE'],
  scanner: ['SELECT', 'INSERT', 'UPDATE', 'DELETE'],
};
const SCAN_FINISHED_FUNCTION = 'scan_finished(uuid, uuid, uuid)';
export const SCANNER_ROLE = 'service_scanner';

/**
 * Grants the scanner's role its missing privileges, in the owner's transaction. Does nothing if
 * there is no such role, or if it owns the tables or is superuser.
 */
export async function grantToScanner(client: ClientBase): Promise<void> {
  const { rows } = await client.query<{ lacking: string }>(
    `select lacking from (
       select privilege || ' on ' || name as lacking, has_table_privilege(r.oid, name, privilege) as held
       from pg_roles r, unnest($2::text[], $3::text[]) as wanted (name, privilege) where rolname = $1
       union all
       select 'usage on schema public', has_schema_privilege(r.oid, 'public', 'USAGE') from pg_roles r where rolname = $1
       union all
       select 'execute on function ' || $4, has_function_privilege(r.oid, $4, 'EXECUTE') from pg_roles r where rolname = $1
     ) rights where not held`,
    [
      SCANNER_ROLE,
      ...[0, 1].map((position) =>
        Object.entries(SCANNER_TABLES).flatMap(([table, privileges]) =>
          privileges.map((privilege) => [table, privilege][position]),
        ),
      ),
      SCAN_FINISHED_FUNCTION,
    ],
  );
  for (const { lacking } of rows) await client.query(`grant ${lacking} to ${SCANNER_ROLE}`);
}

/**
 * Missing privileges of the role on the schemas, and on the owner's sequences and functions, as `…
 * on …`.
 */
async function lackingGrants(client: ClientBase, role: string): Promise<string[]> {
  const { rows } = await client.query<{ lacking: string }>(
    `with ours as materialized (select oid, nspname from pg_namespace where nspname in ('public', 'bullmq')),
     -- Set apart first: the server may put the conditions of one query into another order.
     sequences as materialized (
       select c.oid from pg_class c join ours on ours.oid = c.relnamespace
       where c.relkind = 'S' and pg_has_role(current_user, c.relowner, 'USAGE')
     ),
     functions as materialized (
       select p.oid from pg_proc p join ours on ours.oid = p.pronamespace
       where pg_has_role(current_user, p.proowner, 'USAGE')
     )
     select 'usage on schema ' || quote_ident(nspname) as lacking
     from ours where not has_schema_privilege($1, oid, 'USAGE')
     union all
     select 'usage, select on sequence ' || oid::regclass
     from sequences where not has_sequence_privilege($1, oid, 'USAGE')
     union all
     select 'execute on routine ' || oid::regprocedure
     from functions where not has_function_privilege($1, oid, 'EXECUTE')`,
    [role],
  );
  return rows.map(({ lacking }) => lacking);
}

interface HeldGrant {
  name: string;
  quoted: string;
  privileges: string[];
  /** Quoted names of the columns that the role may update. */
  updatable: string[];
  columns: number;
}

function isHeld(held: HeldGrant, expected: TableGrant): boolean {
  const updatable = expected.updatable?.map((column) => column).toSorted() ?? null;
  return (
    held.privileges.toSorted().join() === expected.privileges.toSorted().join() &&
    (updatable === null
      ? held.updatable.length === held.columns
      : held.updatable.toSorted().join() === updatable.join())
  );
}

/**
 * The owner's tables without partitions, which are accessed through their parent, except those of
 * the outbox.
 */
async function readGrants(client: ClientBase, role: string): Promise<HeldGrant[]> {
  const { rows } = await client.query<HeldGrant>(
    `select n.nspname || '.' || c.relname as name, c.oid::regclass::text as quoted,
            array(select p from unnest($2::text[]) p where has_table_privilege($1, c.oid, p)) as privileges,
            array(select quote_ident(attname) from pg_attribute a
                  where attrelid = c.oid and attnum > 0 and not attisdropped
                  and has_column_privilege($1, c.oid, attnum, 'UPDATE')) as updatable,
            (select count(*)::int from pg_attribute
             where attrelid = c.oid and attnum > 0 and not attisdropped) as columns
     from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where n.nspname in ('public', 'bullmq') and c.relkind in ('r', 'p')
       and (not c.relispartition or c.oid in (
         select inhrelid from pg_inherits where inhparent = to_regclass('public.outbox_message')
       ))
       and pg_has_role(current_user, c.relowner, 'USAGE')`,
    [role, PRIVILEGES],
  );
  return rows;
}
