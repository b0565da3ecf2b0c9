import { Migration } from '@mikro-orm/migrations';

/**
 * Partitions move with time, and the role that serves may not make tables: these functions of the owner do it
 * for it, and nothing else. What may be asked is checked here, because whoever took over the service may ask too.
 */
export class Migration20261121000301_partition_functions extends Migration {
  override async up(): Promise<void> {
    const [row] = (await this.execute('select quote_ident(current_schema()) as name')) as { name: string }[];
    // A fixed path: the functions run with the owner's rights, and must not find tables of their caller's.
    const settings = `language plpgsql security definer set search_path = ${row?.name ?? 'public'}, pg_temp`;
    this.addSql(`
      create function partition_step(parent text) returns text language sql immutable as $$
        select case parent when 'consent_record' then 'month'
                           when 'delivery_settled' then 'day' when 'delivery_failed' then 'day' end
      $$
    `);
    this.addSql(`
      create function partition_make(parent text, starts timestamptz) returns boolean ${settings} as $$
      declare
        step text := partition_step(parent);
        starts_at timestamp := starts at time zone 'UTC';
        ends_at timestamp;
        name text;
      begin
        if step is null or starts_at <> date_trunc(step, starts_at)
           or starts > now() + interval '1 year' or starts < '2000-01-01T00:00Z' then
          raise exception 'no partition of % starts at %', parent, starts using errcode = 'invalid_parameter_value';
        end if;
        ends_at := starts_at + ('1 ' || step)::interval;
        name := parent || '_' || to_char(starts_at, case step when 'month' then 'YYYYMM' else 'YYYYMMDD' end);
        -- Asked once more behind the lock: another process may have made it meanwhile.
        for attempt in 1..2 loop
          if exists (select from pg_class where relname = name and relnamespace = current_schema()::regnamespace) then
            return false;
          end if;
          perform pg_advisory_xact_lock(7201121, hashtext(parent));
        end loop;
        -- Made apart and then attached, which blocks neither readers nor writers of the parent.
        execute format('create table %I (like %I including all)', name, parent);
        execute format('alter table %I attach partition %I for values from (%L) to (%L)', parent, name,
                       partition_bound(starts_at), partition_bound(ends_at));
        return true;
      end $$
    `);
    this.addSql(`
      create function partition_bound(instant timestamp) returns uuid language sql immutable as $$
        select (lpad(to_hex((extract(epoch from instant) * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid
      $$
    `);
    // The shortest time that rows are kept, less a day for clocks that differ: nothing younger can be dropped.
    this.addSql(`
      create function partition_drop(parent text, name text) returns boolean ${settings} as $$
      declare
        kept interval := case parent when 'consent_record' then interval '27 days'
                                     when 'delivery_settled' then interval '29 days'
                                     when 'delivery_failed' then interval '89 days' end;
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
    `);
    this.addSql(
      'revoke execute on function partition_make(text, timestamptz), partition_drop(text, text) from public',
    );
  }

  override down(): void {
    this.addSql('drop function partition_drop(text, text), partition_make(text, timestamptz)');
    this.addSql('drop function partition_bound(timestamp), partition_step(text)');
  }
}
