import { Migration } from '@mikro-orm/migrations';

/** Months whose partitions are there from the beginning: last month, this one and three to come. */
const MONTHS = [-1, 0, 1, 2, 3];

/** Who changed what of a project, and each person's own log; both by month. */
export class Migration20261121005500_audit extends Migration {
  override async up(): Promise<void> {
    const [row] = (await this.execute('select quote_ident(current_schema()) as name')) as { name: string }[];
    const path = `${row?.name ?? 'public'}, pg_temp`;
    this.addSql(`
      create table audit_event (
        -- No foreign key: it outlives its project. The nil UUID stands for the service as a whole.
        project_id uuid not null,
        id uuid not null,
        actor_kind text not null check (actor_kind in ('user', 'api_key', 'operator', 'stripe', 'system')),
        -- A user's or key's id, or an operator's own name; null: not known, or not a person.
        actor_id text,
        -- /24 or /48 of the actor's address; null where there was none.
        network text,
        action text not null,
        -- null: the project as a whole.
        target text,
        before jsonb,
        after jsonb,
        at timestamptz not null default now(),
        primary key (project_id, id)
      ) partition by range (id)
    `);
    this.addSql(`
      create table security_event (
        user_id uuid not null references app_user (id) on delete cascade,
        id uuid not null,
        action text not null,
        -- /24 or /48 of the address that it came from; null where there was none.
        network text,
        at timestamptz not null default now(),
        primary key (user_id, id)
      ) partition by range (id)
    `);
    // For everybody whom rights do not stop, the tables' owner included. Dropping a whole month fires no trigger.
    this.addSql(`
      create function audit_event_is_final() returns trigger language plpgsql as $$
      begin
        raise exception 'what the audit says is final' using errcode = 'insufficient_privilege';
      end $$
    `);
    this.addSql(`
      create trigger audit_event_is_final before update or delete on audit_event
      for each row execute function audit_event_is_final()
    `);
    this.addSql(`
      create trigger audit_event_is_whole before truncate on audit_event
      for each statement execute function audit_event_is_final()
    `);
    this.addSql(`
      create or replace function partition_step(parent text) returns text language sql immutable as $$
        select case when parent in ('consent_record', 'audit_event', 'security_event') then 'month'
                    when parent in ('delivery_settled', 'delivery_failed') then 'day' end
      $$
    `);
    this.addSql(partitionDrop(path, KEPT));
    for (const parent of ['audit_event', 'security_event']) {
      for (const month of MONTHS) {
        this.addSql(`
          select partition_make('${parent}',
            (date_trunc('month', now() at time zone 'UTC') + interval '${month} months') at time zone 'UTC')
        `);
      }
    }
  }

  override async down(): Promise<void> {
    const [row] = (await this.execute('select quote_ident(current_schema()) as name')) as { name: string }[];
    this.addSql('drop table security_event, audit_event');
    this.addSql('drop function audit_event_is_final()');
    this.addSql(`
      create or replace function partition_step(parent text) returns text language sql immutable as $$
        select case parent when 'consent_record' then 'month'
                           when 'delivery_settled' then 'day' when 'delivery_failed' then 'day' end
      $$
    `);
    this.addSql(partitionDrop(`${row?.name ?? 'public'}, pg_temp`, KEPT_BEFORE));
  }
}

const KEPT_BEFORE = {
  consent_record: '27 days',
  delivery_settled: '29 days',
  delivery_failed: '89 days',
};

/** The shortest time that rows are kept, less a day for clocks that differ: nothing younger can be dropped. */
const KEPT = { ...KEPT_BEFORE, audit_event: '24 months -1 days', security_event: '12 months -1 days' };

/** The function of Migration20261121000301, for these tables. */
function partitionDrop(path: string, kept: Record<string, string>): string {
  const cases = Object.entries(kept).map(([parent, age]) => `when '${parent}' then interval '${age}'`);
  return `
    create or replace function partition_drop(parent text, name text) returns boolean
    language plpgsql security definer set search_path = ${path} as $$
    declare
      kept interval := case parent ${cases.join(' ')} end;
      partition regclass;
      ends text;
    begin
      perform pg_advisory_xact_lock(7201121, hashtext(parent));
      select c.oid, substring(pg_get_expr(c.relpartbound, c.oid) from $re$TO [(]'([^']+)'[)]$re$)
      into partition, ends
      from pg_inherits i join pg_class c on c.oid = i.inhrelid
      where i.inhparent = to_regclass(quote_ident(parent)) and c.relname = name;
      if partition is null then
        return false;
      end if;
      if kept is null or ends is null or ends::uuid > partition_bound((now() - kept) at time zone 'UTC') then
        raise exception 'the rows of % are not old enough to go', name using errcode = 'invalid_parameter_value';
      end if;
      execute format('drop table %s', partition);
      return true;
    end $$
  `;
}
