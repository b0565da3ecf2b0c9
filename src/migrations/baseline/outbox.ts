/** Partitions that exist from the start; more are added while locks keep all of them from being truncated. */
const PARTITIONS = 4;
/** Bounds what an attacker with the service's rights can create. */
const PARTITIONS_MAX = 32;

/** Rows are updated once and deleted, and the planner must not take a full partition for an empty one for long. */
const STORAGE = `fillfactor = 70,
  autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000,
  autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 20000,
  autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 20000,
  autovacuum_vacuum_cost_delay = 0`;

/** `security` contains the language, and the search path of functions that run with the owner's rights. */
export const outbox = (security: string): string[] => [
  // Work to do after a commit (ADR 0021). Rows are deleted once settled, so the table stays small. Partitions are
  // truncated when all of their messages are settled (ADR 58).
  `
    create table outbox_message (
      -- The partition, outbox_message_<part>. New messages are added to the one of the newest row in outbox_opening.
      part smallint not null default 0,
      -- Messages of one key are claimed in order: a project's id, or the key of a name (ordering-key.ts).
      ordering_key uuid not null,
      id bigserial,
      -- The project that the message is about; null: none, or unknown.
      project_id uuid,
      topic text not null,
      -- What the message is about, e.g. the consent id.
      subject_id uuid not null,
      -- Further facts; null: the subject is enough.
      payload jsonb,
      -- Holder of the lease; null: not claimed. Later writes must carry it.
      claim_id uuid,
      -- When the message may be claimed: end of the lease, or of the wait before a retry.
      available_at timestamptz not null default now(),
      -- Claims that ended without an outcome, because their worker died.
      abandoned_attempts smallint not null default 0,
      -- Attempts that threw or asked for a retry, and the last error.
      failures int not null default 0,
      last_error text,
      created_at timestamptz not null default now(),
      primary key (ordering_key, id, part)
    ) partition by list (part)
  `,
  // A throttle may hold back a million consent records: other messages of their key are found without reading them.
  // Appending consent records does not touch the index.
  `
    create index outbox_message_unthrottled on outbox_message (ordering_key, id)
    where topic <> 'consent.recorded'
  `,
  // Queued publications are counted without reading queued consent records.
  `
    create index outbox_message_publishing on outbox_message (created_at)
    where topic in ('configuration.changed', 'tier.changed')
  `,
  // The number of the partition that new messages are added to, committed together with the partition.
  `
    create table outbox_opening (
      -- Counts the rotations: the newest row counts, and older ones are deleted.
      id bigint primary key,
      part smallint not null
    )
  `,
  `
    create function outbox_open(part int) returns void ${security} as $$
    declare
      name text := 'outbox_message_' || part;
      grantee oid;
      opening bigint;
    begin
      if part is null or part < 0 or part >= ${PARTITIONS_MAX} then
        raise exception 'no partition % of the outbox', part using errcode = 'invalid_parameter_value';
      end if;
      perform pg_advisory_xact_lock(7201121, hashtext('outbox_message'));
      if to_regclass(name) is null then
        -- Created separately and then attached, which blocks neither readers nor writers of the parent.
        execute format('create table %I (like outbox_message including all) with (${STORAGE})', name);
        for grantee in
          select distinct acl.grantee from pg_class c cross join aclexplode(c.relacl) acl
          where c.oid = 'outbox_message'::regclass and acl.grantee not in (0, c.relowner)
        loop
          execute format('grant select, insert, update, delete on %I to %s', name, grantee::regrole);
        end loop;
        execute format('alter table outbox_message attach partition %I for values in (%s)', name, part);
      end if;
      insert into outbox_opening (id, part)
      select coalesce(max(o.id), 0) + 1, outbox_open.part from outbox_opening o
      returning id into opening;
      delete from outbox_opening where id < opening;
    end $$
  `,
  // False where the partition has messages, takes new ones, or is locked. A transaction that read the number of the
  // open partition before it changed may append late, so the second check happens under a lock that excludes appends.
  `
    create function outbox_truncate(part int) returns boolean ${security} as $$
    declare
      partition regclass := to_regclass('outbox_message_' || part);
      is_unused boolean;
    begin
      if current_setting('transaction_isolation') <> 'read committed' then
        raise exception 'an older snapshot does not show late messages' using errcode = 'invalid_transaction_state';
      end if;
      if partition is null then
        return false;
      end if;
      execute format('select not exists (select from %s)', partition) into is_unused;
      if not is_unused then
        return false;
      end if;
      begin
        execute format('lock table %s in access exclusive mode nowait', partition);
      exception when lock_not_available then
        return false;
      end;
      execute format(
        'select not exists (select from %s) and (select o.part from outbox_opening o order by o.id desc limit 1) <> %s',
        partition, part
      ) into is_unused;
      if is_unused then
        execute format('truncate %s', partition);
      end if;
      return is_unused;
    end $$
  `,
  'revoke execute on function outbox_open(int), outbox_truncate(int) from public',
  // The last one is open.
  ...Array.from({ length: PARTITIONS }, (_, index) => `select outbox_open(${(index + 1) % PARTITIONS})`),
  // Messages that no handler could process, for an operator to inspect.
  `
    create table outbox_dead_letter (
      ordering_key uuid not null,
      id bigint not null,
      -- As in outbox_message.
      project_id uuid,
      topic text not null,
      subject_id uuid not null,
      payload jsonb,
      failures int not null,
      last_error text,
      created_at timestamptz not null,
      died_at timestamptz not null default now(),
      primary key (ordering_key, id)
    )
  `,
  // Topics of a key of which few or no messages may be claimed, because their receiver is down (ADR 0024).
  `
    create table claim_throttle (
      ordering_key uuid not null,
      topic text not null,
      -- Nothing is claimed before; while a probe is in progress, the end of its lease.
      next_claim_at timestamptz not null,
      -- Messages that the next claim takes at most.
      batch_limit integer not null check (batch_limit > 0),
      -- Number of claims so far; claimed messages carry it.
      probe_number integer not null default 0,
      primary key (ordering_key, topic)
    )
  `,
  // Polling workers announce themselves here and need no notification (ADR 26). Written a few times a second and valid
  // for a quarter of one, so it needs no write-ahead log.
  `
    create unlogged table worker_polling (
      one boolean primary key default true check (one),
      -- The latest instant until which some worker polls.
      until timestamptz not null
    ) with (fillfactor = 20)
  `,
];
