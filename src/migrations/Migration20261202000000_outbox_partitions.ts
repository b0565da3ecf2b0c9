import { Migration } from '@mikro-orm/migrations';

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

/**
 * The outbox in partitions that are truncated when all of their messages are settled (ADR 58). Workers of the previous
 * version must be stopped first: they look up rows by their physical location in a single table.
 */
export class Migration20261202000000_outbox_partitions extends Migration {
  override async up(): Promise<void> {
    const [row] = (await this.execute('select quote_ident(current_schema()) as name')) as { name: string }[];
    // A fixed path: the functions must not find objects of their caller.
    const settings = `language plpgsql security definer set search_path = ${row?.name ?? 'public'}, pg_temp`;
    this.addSql('alter table outbox_message rename to outbox_message_single');
    this.addSql('alter index outbox_message_pkey rename to outbox_message_single_pkey');
    this.addSql('drop index outbox_message_unthrottled, outbox_message_publishing');
    this.addSql('alter sequence outbox_message_id_seq rename to outbox_message_single_id_seq');
    this.addSql('create sequence outbox_message_id_seq');
    this.addSql(`
      select setval('outbox_message_id_seq', last_value, is_called) from outbox_message_single_id_seq
    `);
    this.addSql(`
      create table outbox_message (
        -- The partition, outbox_message_<part>. New messages go to the one that outbox_open_part names.
        part smallint not null default 0,
        -- Messages of one key are claimed in order: a project's id, or the key of a name (ordering-key.ts).
        ordering_key uuid not null,
        id bigint not null default nextval('outbox_message_id_seq'),
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
    `);
    this.addSql('alter sequence outbox_message_id_seq owned by outbox_message.id');
    // A throttle may hold back a million consent records: other messages of their key are found without reading them.
    // Appending consent records does not touch the index.
    this.addSql(`
      create index outbox_message_unthrottled on outbox_message (ordering_key, id)
      where topic <> 'consent.recorded'
    `);
    // Queued publications are counted without reading queued consent records.
    this.addSql(`
      create index outbox_message_publishing on outbox_message (created_at)
      where topic in ('configuration.changed', 'tier.changed')
    `);
    // The number of the partition that new messages go to. A sequence, because its single row is replaced in place: rows of
    // a table would pile up behind a transaction that stays open, and every append would read past them.
    this.addSql(
      `create sequence outbox_open_part as smallint minvalue 0 maxvalue ${PARTITIONS_MAX - 1} start 0`,
    );
    this.addSql(`
      create function outbox_open(part int) returns void ${settings} as $$
      declare
        name text := 'outbox_message_' || part;
        grantee oid;
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
        perform setval('outbox_open_part', part);
      end $$
    `);
    // False where the partition has messages, takes new ones, or is locked. A transaction that read the number of the open
    // partition before it changed may append late, so the second check happens under a lock that excludes appends.
    this.addSql(`
      create function outbox_truncate(part int) returns boolean ${settings} as $$
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
        execute format('select not exists (select from %s) and last_value <> %s from outbox_open_part', partition, part)
        into is_unused;
        if is_unused then
          execute format('truncate %s', partition);
        end if;
        return is_unused;
      end $$
    `);
    this.addSql('revoke execute on function outbox_open(int), outbox_truncate(int) from public');
    for (const part of [...Array.from({ length: PARTITIONS }, (_, index) => index).slice(1), 0])
      this.addSql(`select outbox_open(${part})`);
    this.addSql(`
      insert into outbox_message (
        ordering_key, id, project_id, topic, subject_id, payload, claim_id, available_at, abandoned_attempts, failures,
        last_error, created_at
      )
      select ordering_key, id, project_id, topic, subject_id, payload, claim_id, available_at, abandoned_attempts, failures,
             last_error, created_at
      from outbox_message_single
    `);
    this.addSql('drop table outbox_message_single');
  }
}
