-- The two roles of the service in one database. Run as a superuser in that database, as often as you like; what an
-- earlier version or another role has made there changes its owner. Then give DATABASE_OWNER_URL to what migrates
-- and DATABASE_URL to what serves. The start of the embedded server and docker-compose.yml run this very file.
--
--   PGOPTIONS="-c service.owner_password=… -c service.runtime_password=…" psql -d service -f roles.sql
--
-- What service_runtime may do with each table is granted by the migration (src/database/grants.ts).
do $roles$
declare
  role_name text;
  statement text;
begin
  foreach role_name in array array['service_owner', 'service_runtime'] loop
    if not exists (select from pg_roles where rolname = role_name) then
      execute format('create role %I', role_name);
    end if;
    execute format(
      'alter role %I with login nosuperuser nocreatedb nocreaterole noreplication nobypassrls password %L',
      role_name,
      current_setting(replace(role_name, 'service_', 'service.') || '_password'));
  end loop;

  -- Values stand in the server's log with slow and failed statements: those of the service are visitors' data.
  -- (A server before 13 has no such setting.)
  if current_setting('log_parameter_max_length', true) is not null then
    alter role service_runtime set log_parameter_max_length = 0;
  end if;

  -- So do values of an index that something violates ("Key (email)=(…) already exists").
  alter role service_runtime set log_error_verbosity = terse;

  execute format('alter database %I owner to service_owner', current_database());
  execute format('revoke temporary on database %I from public', current_database());
  execute format('grant connect on database %I to service_runtime', current_database());
  revoke create on schema public from public;

  -- What was made before there were two roles.
  for statement in
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
  loop
    execute statement;
  end loop;
end
$roles$;
