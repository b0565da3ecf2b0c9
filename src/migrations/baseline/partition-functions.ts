/**
 * Partitions that the service creates and drops at run time. Its role may not create or drop tables, so these
 * functions run with the owner's rights. They check their arguments, because an attacker who takes over the service
 * can call them too.
 */

/** Retention that no setting can undercut, less a day for clocks that differ: younger partitions cannot be dropped. */
const RETENTION_MIN: Record<string, string> = {
  consent_record: '27 days',
  delivery_settled: '29 days',
  delivery_failed: '89 days',
  audit_event: '24 months -1 days',
  security_event: '12 months -1 days',
  evidence_leaf: '27 days',
};

/** `security` as in outbox.ts. */
export function partitionFunctions(security: string): string[] {
  const retention = Object.entries(RETENTION_MIN).map(
    ([table, age]) => `when '${table}' then interval '${age}'`,
  );
  return [
    `
      create function partition_step(parent text) returns text language sql immutable as $$
        select case when parent in ('consent_record', 'audit_event', 'security_event', 'evidence_leaf') then 'month'
                    when parent in ('delivery_settled', 'delivery_failed') then 'day' end
      $$
    `,
    // The lowest UUIDv7 of an instant.
    `
      create function partition_bound(instant timestamp) returns uuid language sql immutable as $$
        select (lpad(to_hex((extract(epoch from instant) * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid
      $$
    `,
    `
      create function partition_make(parent text, starts timestamptz) returns boolean ${security} as $$
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
        -- Checked again after the lock: another process may have created it in between.
        for attempt in 1..2 loop
          if exists (select from pg_class where relname = name and relnamespace = current_schema()::regnamespace) then
            return false;
          end if;
          perform pg_advisory_xact_lock(7201121, hashtext(parent));
        end loop;
        -- Created separately and then attached, which blocks neither readers nor writers of the parent.
        execute format('create table %I (like %I including all)', name, parent);
        execute format('alter table %I attach partition %I for values from (%L) to (%L)', parent, name,
                       partition_bound(starts_at), partition_bound(ends_at));
        return true;
      end $$
    `,
    `
      create function partition_drop(parent text, name text) returns boolean ${security} as $$
      declare
        kept interval := case parent ${retention.join(' ')} end;
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
          raise exception 'the rows of % are not old enough to drop', name using errcode = 'invalid_parameter_value';
        end if;
        execute format('drop table %s', partition);
        return true;
      end $$
    `,
    'revoke execute on function partition_make(text, timestamptz), partition_drop(text, text) from public',
  ];
}
