import { Migration } from '@mikro-orm/migrations';

/** Logs of commitments to records (docs/evidence.md, ADR 0045). */
export class Migration20261121013000_evidence extends Migration {
  override async up(): Promise<void> {
    const [row] = (await this.execute('select quote_ident(current_schema()) as name')) as { name: string }[];
    const path = `${row?.name ?? 'public'}, pg_temp`;
    // Nothing is written anew, and the version before this one goes on inserting without it.
    this.addSql(`
      alter table consent_record
        -- 32 random bytes with which it is sealed; null: stored while nothing was.
        add column salt bytea
    `);
    // Up to where records and erasures have been given their places: one row. Nothing older than this is sealed.
    this.addSql(`
      create table evidence_mark (
        singleton boolean primary key default true check (singleton),
        at timestamptz not null default now(),
        project_id uuid not null default '00000000-0000-0000-0000-000000000000',
        id uuid not null default '00000000-0000-0000-0000-000000000000',
        is_erasure boolean not null default false
      )
    `);
    this.addSql('insert into evidence_mark default values');
    this.addSql(`
      create table evidence_log (
        -- The project's id; zeroes: the log of all projects' checkpoints.
        log uuid primary key,
        -- The first line of its checkpoints, which stays what it was at the first.
        origin text not null,
        -- Leaves that have their place, and what is needed to append to them.
        size bigint not null default 0,
        edge bytea not null default '',
        appended_at timestamptz not null default now(),
        -- When its signature was asked for last; null: never.
        asked_at timestamptz,
        -- The newest signed checkpoint.
        checkpoint_size bigint not null default 0,
        checkpoint text,
        signed_at timestamptz,
        -- The newest one that a signed checkpoint of the root log covers, and its place there.
        rooted_size bigint not null default 0,
        rooted_checkpoint text,
        root_index bigint,
        -- Why no checkpoint is signed, as a sentence; null: nothing is wrong.
        refusal text,
        refused_at timestamptz
      ) with (fillfactor = 70)
    `);
    // Full tiles that are yet to be written to the storage; they go once they are.
    this.addSql(`
      create table evidence_tile (
        log uuid not null,
        -- -1: entries.
        level smallint not null,
        index bigint not null,
        width smallint not null,
        bytes bytea not null,
        primary key (log, level, index, width)
      )
    `);
    this.addSql('alter table evidence_tile alter column bytes set storage external');
    // Where a record, or its erasure, stands in its project's log.
    this.addSql(`
      create table evidence_leaf (
        project_id uuid not null,
        consent_id uuid not null,
        leaf_index bigint not null,
        -- Of an erasure; null of a record, which has its own.
        salt bytea,
        primary key (project_id, consent_id)
      ) partition by range (consent_id)
    `);
    // Checkpoints that have their place in the root log, until a signed checkpoint of that covers them.
    this.addSql(`
      create table evidence_root_entry (
        root_index bigint primary key,
        log uuid not null,
        size bigint not null,
        checkpoint text not null
      )
    `);
    this.addSql(`
      create table evidence_key (
        -- As it is published: name+hash+key.
        verifier text primary key,
        first_signed_at timestamptz not null default now(),
        last_signed_at timestamptz not null default now()
      )
    `);
    this.addSql(`
      create or replace function partition_step(parent text) returns text language sql immutable as $$
        select case when parent in ('consent_record', 'audit_event', 'security_event', 'evidence_leaf') then 'month'
                    when parent in ('delivery_settled', 'delivery_failed') then 'day' end
      $$
    `);
    this.addSql(partitionDrop(path, { ...KEPT_BEFORE, evidence_leaf: '27 days' }));
    // The months of the records that are there, each asked for by the instant at which its first ids are made.
    this.addSql(`
      select partition_make('evidence_leaf', date_trunc('month',
        to_timestamp(('x' || left(replace(bound, '-', ''), 12))::bit(48)::bigint / 1000.0) at time zone 'UTC')
          at time zone 'UTC')
      from (
        select substring(pg_get_expr(c.relpartbound, c.oid) from $re$FROM [(]'([^']+)'[)]$re$) as bound
        from pg_inherits i join pg_class c on c.oid = i.inhrelid
        where i.inhparent = 'consent_record'::regclass
      ) months where bound is not null
    `);
  }

  override async down(): Promise<void> {
    const [row] = (await this.execute('select quote_ident(current_schema()) as name')) as { name: string }[];
    this.addSql(`delete from outbox_message where topic in ('log.grown', 'log.gone')`);
    this.addSql(
      'drop table evidence_key, evidence_root_entry, evidence_leaf, evidence_tile, evidence_log, evidence_mark',
    );
    this.addSql('alter table consent_record drop column salt');
    this.addSql(`
      create or replace function partition_step(parent text) returns text language sql immutable as $$
        select case when parent in ('consent_record', 'audit_event', 'security_event') then 'month'
                    when parent in ('delivery_settled', 'delivery_failed') then 'day' end
      $$
    `);
    this.addSql(partitionDrop(`${row?.name ?? 'public'}, pg_temp`, KEPT_BEFORE));
  }
}

const KEPT_BEFORE = {
  consent_record: '27 days',
  delivery_settled: '29 days',
  delivery_failed: '89 days',
  audit_event: '24 months -1 days',
  security_event: '12 months -1 days',
};

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
