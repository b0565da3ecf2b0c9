/** Logs of commitments to records (docs/evidence.md, ADR 0045). */
export const evidence = [
  // The sequencer's cursor: one row.
  `
    create table sequencer_cursor (
      singleton boolean primary key default true check (singleton),
      -- Records received before it are sequenced, by the database's clock. For monitoring only.
      at timestamptz not null default now(),
      -- Everything stored by earlier transactions is sequenced, and of this one everything up to the position.
      after_xid bigint not null,
      after_project_id uuid not null default '00000000-0000-0000-0000-000000000000',
      after_id uuid not null default '00000000-0000-0000-0000-000000000000',
      after_is_erasure boolean not null default false,
      -- Server that numbers these transactions (pg_control_system); null: not known yet.
      cluster text,
      -- Records received before are not added to the logs.
      begins_at timestamptz not null default now(),
      -- As begins_at, for the entries of other kinds.
      entries_begin_at timestamptz not null default now(),
      -- Every record that this or a later transaction stored has a leaf; null: not known.
      begins_xid bigint,
      -- The number with which new logs start. A detected copy of the data folder raises it.
      log_epoch int not null default 1,
      -- File of the embedded server by which a copy of the data folder is detected; null: not seen yet, or none.
      home text
    )
  `,
  `
    insert into sequencer_cursor (after_xid, begins_xid)
    select xid, xid from (select pg_snapshot_xmin(pg_current_snapshot())::text::bigint as xid) oldest
  `,
  // Projects whose records are searched for unsequenced ones, e.g. after a dump was restored on another server.
  `
    create table evidence_backfill (
      project_id uuid primary key references project (id) on delete cascade,
      -- Records up to this id were searched.
      after_id uuid not null default '00000000-0000-0000-0000-000000000000'
    )
  `,
  `
    create table evidence_log (
      -- The project's id; zeroes: the root log, which contains the checkpoints of all projects.
      log uuid primary key,
      -- First line of its checkpoints; never changes.
      origin text not null,
      -- Number of sequenced leaves, and the state that is needed to append to them.
      size bigint not null default 0,
      edge bytea not null default '',
      appended_at timestamptz not null default now(),
      -- When its signature was last requested; null: never.
      requested_at timestamptz,
      -- The newest signed checkpoint.
      checkpoint_size bigint not null default 0,
      checkpoint text,
      signed_at timestamptz,
      -- The newest checkpoint that a signed checkpoint of the root log covers, and its index there.
      anchored_size bigint not null default 0,
      anchored_checkpoint text,
      root_index bigint,
      -- Why no checkpoint is signed, as a sentence; null: there is no problem.
      refusal text,
      refused_at timestamptz,
      -- 1, or one more than that of the log that it continues.
      epoch integer not null default 1,
      -- The signed statement that is its first entry; null: it continues no log.
      continues text,
      -- Why it must not be signed, whatever the storage contains: it is a copy. null: it is not.
      halted text,
      -- A signed checkpoint that was known when the log was halted.
      halted_head text,
      -- Damage that a check has found, which stops signing; null: none.
      damage text,
      -- When its records were last compared with it; before the first check: when the log started.
      checked_at timestamptz not null default now(),
      -- What that check found, as a sentence; null: no problem.
      problem text,
      -- The check in progress has compared records up to this id; null: no check is in progress.
      check_after uuid
    ) with (fillfactor = 70)
  `,
  // Logs that another log continues. They keep their last signed state.
  `
    create table evidence_past_log (
      log uuid not null,
      epoch integer not null,
      origin text not null,
      checkpoint_size bigint not null,
      checkpoint text not null,
      continues text,
      anchored_size bigint not null,
      anchored_checkpoint text,
      root_index bigint,
      -- Epoch of the root log that contains the index.
      root_epoch integer,
      reason text not null,
      ended_at timestamptz not null default now(),
      primary key (log, epoch)
    )
  `,
  // Full tiles that are not in the storage yet; deleted once they are.
  `
    create table evidence_tile (
      log uuid not null,
      -- -1: entries.
      level smallint not null,
      index bigint not null,
      width smallint not null,
      bytes bytea not null,
      primary key (log, level, index, width)
    )
  `,
  // Hashes do not compress. (A clause of `create table` only since PostgreSQL 16.)
  `alter table evidence_tile alter column bytes set storage external`,
  // Index of a record, or of its erasure, in its project's log. Partitioned by month of the consent id.
  `
    create table evidence_leaf (
      project_id uuid not null,
      consent_id uuid not null,
      leaf_index bigint not null,
      -- Salt of an erasure; null: a record, which stores its salt itself.
      salt bytea,
      -- Epoch of the log that contains it.
      epoch integer not null default 1,
      primary key (project_id, consent_id)
    ) partition by range (consent_id)
  `,
  // Commitments to entries other than consent records: results of scans.
  `
    create table evidence_entry (
      project_id uuid not null references project (id) on delete cascade,
      id uuid not null,
      -- SHA-256 over the salt and the canonical body.
      commitment bytea not null check (octet_length(commitment) = 32),
      stored_at timestamptz not null default now(),
      -- Epoch of the log that contains it, and its index there; null: not sequenced yet.
      epoch int,
      leaf_index bigint,
      primary key (project_id, id)
    )
  `,
  'create index evidence_entry_due on evidence_entry (stored_at, id) where leaf_index is null',
  // Checkpoints that are sequenced in the root log, until one of its signed checkpoints covers them.
  `
    create table evidence_root_entry (
      root_index bigint primary key,
      log uuid not null,
      size bigint not null,
      checkpoint text not null
    )
  `,
  // Timestamps of the root log's checkpoints by an independent clock (ADR 0047).
  `
    create table evidence_timestamp (
      -- Epoch of the stamped root log.
      epoch integer not null default 1,
      -- Entries that the stamped checkpoint covers; the storage has both under this number.
      size bigint not null,
      -- By the clock of the timestamp service.
      stamped_at timestamptz not null,
      written_at timestamptz not null default now(),
      primary key (epoch, size)
    )
  `,
  // Public keys that have signed.
  `
    create table evidence_key (
      -- As published: name+hash+key.
      verifier text primary key,
      first_signed_at timestamptz not null default now(),
      last_signed_at timestamptz not null default now()
    )
  `,
];
