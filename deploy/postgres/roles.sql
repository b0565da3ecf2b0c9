-- The roles of the service in one database. Run it as a superuser in that database, as often as you like; tables and
-- functions of an earlier version or another role change their owner. Then set DATABASE_OWNER_URL for migrations and
-- DATABASE_URL for API, worker and commands. The embedded server and docker-compose.yml run this file at their start.
--
-- The service can serve during the change: the role that owned the tables becomes a member of service_owner first, and each table
-- changes its owner in a separate transaction, which waits for its lock a second at a time. Do not run it inside a
-- transaction. When the last process with the former role has stopped, run it again, then: revoke service_owner from <that role>;
--
--   PGOPTIONS="-c service.owner_password=… -c service.runtime_password=… -c service.scanner_password=…" \
--     psql -d service -f roles.sql
--
-- Without a scanner's password there is no role for scanners.
--
-- What service_runtime and service_scanner may do with each table is granted by the migration (src/platform/database/grants.ts).
do $roles$
declare
  role_name text;
  role_names text[] := array['service_owner', 'service_runtime'];
  former_owner text;
  statement text;
  statements text[];
  is_done boolean;
  give_up_at constant timestamptz := clock_timestamp() + interval '5 minutes';
begin
  if coalesce(current_setting('service.scanner_password', true), '') <> '' then
    role_names := role_names || 'service_scanner'::text;
  end if;
  foreach role_name in array role_names loop
    if not exists (select from pg_roles where rolname = role_name) then
      execute format('create role %I', role_name);
    end if;
    execute format(
      'alter role %I with login nosuperuser nocreatedb nocreaterole noreplication nobypassrls password %L',
      role_name,
      current_setting(replace(role_name, 'service_', 'service.') || '_password'));
  end loop;

  foreach role_name in array role_names[2:] loop
    -- Values are in the server's log with slow and failed statements: those of the service are visitors' data.
    -- (A server before 13 has no such setting.)
    if current_setting('log_parameter_max_length', true) is not null then
      execute format('alter role %I set log_parameter_max_length = 0', role_name);
    end if;
    -- So are values of an index that something violates ("Key (email)=(…) already exists").
    execute format('alter role %I set log_error_verbosity = terse', role_name);
    execute format('grant connect on database %I to %I', current_database(), role_name);
  end loop;

  execute format('alter database %I owner to service_owner', current_database());
  execute format('revoke temporary on database %I from public', current_database());
  revoke create on schema public from public;

  -- The role that migrated and served so far keeps its rights until it is replaced.
  for former_owner in
    select r.rolname from pg_class c join pg_roles r on r.oid = c.relowner
    where c.oid = to_regclass('public.schema_migration') and not r.rolsuper
      and r.rolname not in ('service_owner', 'service_runtime')
      and not pg_has_role('service_owner', r.oid, 'member')
  loop
    execute format('grant service_owner to %I', former_owner);
  end loop;

  -- Everything made before there were two roles, again until nothing is left: a former version that serves creates partitions
  -- in between, which belong to its role.
  -- Everyone who comes after a statement that waits for a table waits behind it, so it waits briefly and tries again.
  set lock_timeout = '1s';
  loop
    select coalesce(array_agg(change), '{}') into statements from (
      select format('alter schema %I owner to service_owner', nspname)
      from pg_namespace where nspname in ('public', 'bullmq') and nspowner <> 'service_owner'::regrole
      union all
      -- A partitioned table does not take its partitions along; indexes and identity sequences go with their table.
      select format('alter %s %s owner to service_owner',
                    case c.relkind when 'S' then 'sequence' when 'v' then 'view' when 'm' then 'materialized view'
                                   else 'table' end,
                    c.oid::regclass)
      from pg_class c
      where c.relnamespace in (select oid from pg_namespace where nspname in ('public', 'bullmq'))
        and c.relkind in ('r', 'p', 'S', 'v', 'm') and c.relowner <> 'service_owner'::regrole
        and not exists (select from pg_depend d where d.objid = c.oid and d.classid = 'pg_class'::regclass
                        and d.deptype in ('a', 'i', 'e') and c.relkind = 'S')
        and not exists (select from pg_depend d where d.objid = c.oid and d.deptype = 'e')
      union all
      select format('alter routine %s owner to service_owner', p.oid::regprocedure)
      from pg_proc p
      where p.pronamespace in (select oid from pg_namespace where nspname in ('public', 'bullmq'))
        and p.proowner <> 'service_owner'::regrole
        and not exists (select from pg_depend d where d.objid = p.oid and d.deptype = 'e')
      union all
      select format('alter type %s owner to service_owner', t.oid::regtype)
      from pg_type t
      where t.typnamespace in (select oid from pg_namespace where nspname in ('public', 'bullmq'))
        and t.typtype in ('e', 'd') and t.typowner <> 'service_owner'::regrole
    ) as changes (change);
    commit;
    exit when cardinality(statements) = 0;

    foreach statement in array statements loop
      loop
        begin
          execute statement;
          is_done := true;
        exception
          when lock_not_available or deadlock_detected then
            is_done := false;
          when undefined_table then
            -- A partition that the former version has dropped since the list was made.
            is_done := true;
        end;
        commit;
        exit when is_done;
        if clock_timestamp() > give_up_at then
          raise exception 'A table is locked for too long; run this file again. Not done: %', statement;
        end if;
        perform pg_sleep(1);
      end loop;
    end loop;
    if clock_timestamp() > give_up_at then
      raise exception 'This takes too long; run this file again.';
    end if;
  end loop;
  reset lock_timeout;
end
$roles$;
