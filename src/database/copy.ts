import type { Client } from 'pg';

/** Rows that are read and written at a time; a billing event may have 1 MiB. */
const BATCH_ROWS = 200;
/**
 * The target has a ledger of its own, and who failed to sign in here is nobody there. Logs of evidence lie in a storage,
 * under a name and a key of their own: the target seals what it is given anew.
 */
const LEFT_OUT = [
  'schema_migration',
  'sign_in_attempt',
  'evidence_key',
  'evidence_leaf',
  'evidence_log',
  'evidence_mark',
  'evidence_root_entry',
  'evidence_stamp',
  'evidence_tile',
];

/** How many rows of a table were copied. */
export interface CopiedTable {
  table: string;
  rows: number;
}

/** The target has projects, people or records already. */
export class TargetNotEmptyError extends Error {}

/**
 * Copies every row of the service's tables from one database into another of the same schema, as of one instant and
 * in one transaction: all of them or none. Left out is what production refuses: demo projects with all that is theirs,
 * and simulated subscriptions. BullMQ's tables are not copied, as they hold nothing that must not be lost.
 * @throws TargetNotEmptyError
 */
export async function copyDatabase(source: Client, target: Client): Promise<CopiedTable[]> {
  await source.query('begin isolation level repeatable read read only');
  await target.query('begin');
  try {
    await refuseRows(target);
    await makePartitions(source, target);
    await target.query('delete from consent_rollup_state');
    const copied: CopiedTable[] = [];
    for (const { table, columns } of await tablesInOrder(target)) {
      copied.push({
        table,
        rows: await copyTable(source, target, { table, where: chosenRows(table, columns) }),
      });
    }
    await copySequences(source, target);
    // What a simulated subscription granted is looked at anew.
    await target.query(
      `update project p set tier_valid_until = now()
       where tier <> 'lite' and not exists (select from subscription s where s.project_id = p.id)`,
    );
    await target.query(
      'update evidence_mark set at = coalesce(least(at, (select min(received_at) from consent_record)), at)',
    );
    await target.query('commit');
    return copied;
  } catch (error) {
    await target.query('rollback').catch(() => {});
    throw error;
  } finally {
    await source.query('rollback').catch(() => {});
  }
}

async function refuseRows(target: Client): Promise<void> {
  const { rows } = await target.query<{ used: boolean }>(
    `select exists (select from project) or exists (select from app_user) or exists (select from consent_record) as used`,
  );
  if (rows[0]?.used) throw new TargetNotEmptyError('The target is not empty.');
}

async function makePartitions(source: Client, target: Client): Promise<void> {
  const { rows } = await source.query<{ parent: string; starts: string | null }>(
    `select p.relname as parent, substring(pg_get_expr(c.relpartbound, c.oid) from $$FROM [(]'([^']+)'[)]$$) as starts
     from pg_inherits i join pg_class c on c.oid = i.inhrelid join pg_class p on p.oid = i.inhparent
     where p.relname in ('consent_record', 'delivery_settled', 'delivery_failed', 'audit_event', 'security_event')`,
  );
  for (const { parent, starts } of rows) {
    if (starts === null) continue;
    const startsAt = new Date(Number.parseInt(starts.replaceAll('-', '').slice(0, 12), 16));
    await target.query('select partition_make($1, $2)', [parent, startsAt]);
  }
}

interface Table {
  table: string;
  columns: string[];
}

/** The tables, each behind those that its foreign keys lead to. Partitions are reached through their parent. */
async function tablesInOrder(target: Client): Promise<Table[]> {
  const { rows } = await target.query<Table & { needs: string[] }>(
    `select c.relname as table,
            array(select attname::text from pg_attribute where attrelid = c.oid and attnum > 0 and not attisdropped)
              as columns,
            array(select confrelid::regclass::text from pg_constraint
                  where conrelid = c.oid and contype = 'f' and confrelid <> c.oid) as needs
     from pg_class c
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
       and c.relname <> all($1) order by c.relname`,
    [LEFT_OUT],
  );
  const ordered: Table[] = [];
  const left = new Map(rows.map((row) => [row.table, row]));
  while (left.size > 0) {
    const next = [...left.values()].find(({ needs }) => !needs.some((other) => left.has(other)));
    if (!next) throw new Error(`Tables need each other: ${[...left.keys()].join(', ')}`);
    left.delete(next.table);
    ordered.push(next);
  }
  return ordered;
}

function chosenRows(table: string, columns: string[]): string {
  if (table === 'project') return 'not t.demo';
  const conditions = ['true'];
  if (columns.includes('project_id'))
    conditions.push('not exists (select from project p where p.demo and p.id = t.project_id)');
  if (table === 'subscription') conditions.push(`t.provider <> 'simulated'`);
  return conditions.join(' and ');
}

/** As JSON text, which PostgreSQL writes and reads without loss and this process never looks into. */
async function copyTable(
  source: Client,
  target: Client,
  { table, where }: { table: string; where: string },
): Promise<number> {
  await source.query(
    `declare copied no scroll cursor for select to_json(t)::text as row from ${table} t where ${where}`,
  );
  let count = 0;
  for (;;) {
    const { rows } = await source.query<{ row: string }>(`fetch ${BATCH_ROWS} from copied`);
    if (rows.length === 0) break;
    await target.query(
      `insert into ${table} overriding system value select * from json_populate_recordset(null::${table}, $1::json)`,
      [`[${rows.map(({ row }) => row).join()}]`],
    );
    count += rows.length;
  }
  await source.query('close copied');
  return count;
}

async function copySequences(source: Client, target: Client): Promise<void> {
  const { rows } = await source.query<{ name: string }>(
    `select oid::regclass::text as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'S'`,
  );
  for (const { name } of rows) {
    const { rows: values } = await source.query<{ last: string; called: boolean }>(
      `select last_value::text as last, is_called as called from ${name}`,
    );
    await target.query('select setval($1::regclass, $2::bigint, $3)', [
      name,
      values[0]?.last,
      values[0]?.called,
    ]);
  }
}
