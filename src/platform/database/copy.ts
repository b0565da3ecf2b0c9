import { type Client, escapeLiteral as literal } from 'pg';

/** Rows per read and write; a billing event may have 1 MiB. */
const BATCH_ROWS = 200;
/**
 * The target has its own migration ledger, and failed sign-ins and scanner minutes do not apply
 * there. Sessions and personal tokens are not copied: people sign in again. Evidence logs are in a storage, under their own name and key: the target adds the copied
 * records to new logs.
 */
const LEFT_OUT = [
  'schema_migration',
  'outbox_opening',
  'scan_account_hour',
  'sign_in_attempt',
  'user_session',
  'personal_token',
  'device_authorization',
  'evidence_backfill',
  'evidence_key',
  'evidence_leaf',
  'evidence_log',
  'sequencer_cursor',
  'evidence_past_log',
  'evidence_root_entry',
  'evidence_timestamp',
  'evidence_tile',
];

/** Number of copied rows of a table. */
export interface CopiedTable {
  table: string;
  rows: number;
}

/** The target already has projects, people or records. */
export class TargetNotEmptyError extends Error {}

/** The demo account, which is not copied, is a member of copied projects or of their organizations. */
export class DemoMemberError extends Error {
  constructor(readonly projectIds: string[]) {
    super('The demo account is a member of projects other than the demo.');
  }
}

/** Identifies the rows of the demo, besides its projects. */
export interface DemoRows {
  ownerEmail: string;
  pricePrefix: string;
}

/**
 * Copies every row of the service's tables from one database into another of the same schema, from
 * one snapshot and in one transaction: all or none. Excludes the demo (its projects with all their
 * rows, its account, its prices and subscriptions to them), and simulated subscriptions, which
 * production refuses. BullMQ's tables are not copied, because they hold nothing that must not be
 * lost.
 *
 * @throws TargetNotEmptyError @throws DemoMemberError
 */
export async function copyDatabase(source: Client, target: Client, demo: DemoRows): Promise<CopiedTable[]> {
  await source.query('begin isolation level repeatable read read only');
  await target.query('begin');
  try {
    await refuseRows(target);
    const demoUserId = await findDemoUser(source, demo.ownerEmail);
    await createPartitions(source, target);
    await target.query('delete from consent_rollup_state');
    const copied: CopiedTable[] = [];
    for (const table of await tablesInOrder(target))
      copied.push({
        table: table.table,
        rows: await copyTable(source, target, table.table, readRows(table, { ...demo, userId: demoUserId })),
      });
    await copySequences(source, target);
    // Tiers granted by a simulated subscription are recomputed.
    await target.query(
      `update project p set tier_valid_until = now()
       where tier <> 'lite' and not exists (select from subscription s where s.project_id = p.id)`,
    );
    await target.query(
      `update sequencer_cursor
       set begins_at = coalesce(least(begins_at, (select min(received_at) from consent_record)), begins_at),
           begins_xid = null,
           -- The source may sign new logs too. As seconds, two copies do not have one number.
           log_epoch = greatest(2, extract(epoch from now() - timestamptz '2026-01-01 00:00:00Z')::int)`,
    );
    await target.query('update evidence_entry set epoch = null, leaf_index = null');
    await haltLogs(source, target);
    // Their transaction ids are from the other server.
    await target.query('insert into evidence_backfill (project_id) select id from project');
    await target.query('commit');
    return copied;
  } catch (error) {
    await target.query('rollback').catch(() => {});
    throw error;
  } finally {
    await source.query('rollback').catch(() => {});
  }
}

const COPIED =
  'The database is a copy, and the former service may have signed more since. ' +
  'Start a new log: npm run ops -- evidence continue --all --reason …';

/** The target sequences all records again, in logs that continue those of the source. They are halted until an operator continues them. */
async function haltLogs(source: Client, target: Client): Promise<void> {
  const { rows } = await source.query<{ log: string; origin: string; epoch: number; checkpoint: string }>(
    `select l.log, l.origin, l.epoch, l.checkpoint from evidence_log l
     where (l.checkpoint is not null or l.continues is not null)
       and not exists (select from project p where p.id = l.log and p.demo)`,
  );
  for (const { log, origin, epoch, checkpoint } of rows)
    await target.query(
      `insert into evidence_log (log, origin, epoch, halted, halted_head, refusal, refused_at)
       values ($1, $2, $3, $4, $5, $4, now())`,
      [log, origin, epoch, COPIED, checkpoint],
    );
}

async function refuseRows(target: Client): Promise<void> {
  const { rows } = await target.query<{ used: boolean }>(
    `select exists (select from project) or exists (select from app_user) or exists (select from consent_record) as used`,
  );
  if (rows[0]?.used) throw new TargetNotEmptyError('The target is not empty.');
}

/** null: this database never had a demo. */
async function findDemoUser(source: Client, email: string): Promise<string | null> {
  const { rows } = await source.query<{ id: string }>('select id from app_user where email = $1', [email]);
  const id = rows[0]?.id ?? null;
  const { rows: memberships } = await source.query<{ project_id: string }>(
    `select m.project_id from project_member m join project p on p.id = m.project_id
     where m.user_id = $1 and not p.demo
     union
     select p.id from organization_member o join project p on p.organization_id = o.organization_id
     where o.user_id = $1 and not p.demo order by project_id`,
    [id],
  );
  if (memberships.length > 0) throw new DemoMemberError(memberships.map(({ project_id }) => project_id));
  return id;
}

async function createPartitions(source: Client, target: Client): Promise<void> {
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
  const { rows: parts } = await source.query<{ part: number }>('select distinct part from outbox_message');
  for (const { part } of parts) await target.query('select outbox_open($1)', [part]);
}

interface Table {
  table: string;
  columns: string[];
  /** Its columns that name a user, and whether deleting the user deletes the row (else it clears the column). */
  users: { column: string; deletes: boolean }[];
}

/**
 * The tables, each after the ones that its foreign keys reference. Partitions are read through
 * their parent.
 */
async function tablesInOrder(target: Client): Promise<Table[]> {
  const { rows } = await target.query<Table & { needs: string[] }>(
    `select c.relname as table,
            array(select attname::text from pg_attribute where attrelid = c.oid and attnum > 0 and not attisdropped)
              as columns,
            array(select confrelid::regclass::text from pg_constraint
                  where conrelid = c.oid and contype = 'f' and confrelid <> c.oid) as needs,
            (select coalesce(json_agg(json_build_object('column', a.attname, 'deletes', f.confdeltype = 'c')), '[]')
             from pg_constraint f join pg_attribute a on a.attrelid = f.conrelid and a.attnum = f.conkey[1]
             where f.conrelid = c.oid and f.contype = 'f' and f.confrelid = 'app_user'::regclass) as users
     from pg_class c
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
       and c.relname <> all($1) order by c.relname`,
    [LEFT_OUT],
  );
  const ordered: Table[] = [];
  const left = new Map(rows.map((row) => [row.table, row]));
  while (left.size > 0) {
    const next = [...left.values()].find(({ needs }) => !needs.some((other) => left.has(other)));
    if (!next) throw new Error(`Circular references between tables: ${[...left.keys()].join(', ')}`);
    left.delete(next.table);
    ordered.push(next);
  }
  return ordered;
}

/**
 * The rows to copy, as a table expression: without the demo's, and without references to its
 * account.
 */
function readRows(
  { table, columns, users }: Table,
  { userId, pricePrefix }: { userId: string | null; pricePrefix: string },
): string {
  const conditions = ['true'];
  const isDemoProject = (column: string): string =>
    `exists (select from project p where p.demo and p.id = ${table}.${column})`;
  if (table === 'project') conditions.push('not demo');
  for (const column of ['project_id', 'ordering_key'])
    if (columns.includes(column)) conditions.push(`not ${isDemoProject(column)}`);
  if (table === 'subscription') conditions.push(`provider <> 'simulated'`);
  if (columns.includes('price_id'))
    conditions.push(`not starts_with(coalesce(price_id, ''), ${literal(pricePrefix)})`);
  const named = new Map<string, string>();
  if (userId !== null) {
    if (table === 'app_user') conditions.push(`id <> ${literal(userId)}`);
    for (const { column, deletes } of users)
      if (deletes) conditions.push(`${column} is distinct from ${literal(userId)}`);
      else named.set(column, `nullif(${column}, ${literal(userId)}) as ${column}`);
  }
  const list = columns.map((column) => named.get(column) ?? `"${column}"`).join(', ');
  return `(select ${list} from ${table} where ${conditions.join(' and ')})`;
}

/** As JSON text, which PostgreSQL writes and reads losslessly and this process never parses. */
async function copyTable(source: Client, target: Client, table: string, rows: string): Promise<number> {
  await source.query(`declare copied no scroll cursor for select to_json(t)::text as row from ${rows} t`);
  let count = 0;
  for (;;) {
    const { rows: batch } = await source.query<{ row: string }>(`fetch ${BATCH_ROWS} from copied`);
    if (batch.length === 0) break;
    await target.query(
      `insert into ${table} overriding system value select * from json_populate_recordset(null::${table}, $1::json)`,
      [`[${batch.map(({ row }) => row).join()}]`],
    );
    count += batch.length;
  }
  await source.query('close copied');
  return count;
}

async function copySequences(source: Client, target: Client): Promise<void> {
  const { rows } = await source.query<{ name: string }>(
    `select oid::regclass::text as name from pg_class
     where relnamespace = 'public'::regnamespace and relkind = 'S'`,
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
