export const consent = [
  // One row per decision. Partitioned by month of the id (UUIDv7, so its first 48 bits are a time).
  `
    create table consent_record (
      project_id uuid not null,
      id uuid not null,
      analytics boolean not null,
      marketing boolean not null,
      preferences boolean not null,
      action text not null,
      -- The page's host; null: the banner did not send it.
      hostname text,
      -- Legacy endpoint that came with the request (spec §2.2); null in nearly every row.
      custom_endpoint text,
      -- Additional fields, as sent; null: there are none.
      extra jsonb,
      received_at timestamptz not null default now(),
      -- Why the record was not queued for forwarding, as a code (off, tier, …); null: it was queued.
      skipped_reason text,
      -- The configuration that was shown: SHA-256 of the published document, in hex (ADR 37). As for the next two
      -- columns, null: the banner did not send it.
      config_hash text,
      -- The language that was shown: BCP 47, as sent.
      language text,
      -- Where the choice was made: banner, preferences, link, signal or api.
      surface text,
      -- SHA-256 of the project's salt and the value of its visitor field; null: there is no such value.
      visitor_hash bytea,
      -- Creation time and SHA-256 of the visitor's key (ADR 43); null: the banner sent no key.
      visitor_key_hash bytea,
      -- 32 random bytes that salt the record's commitment in the log; null: stored while evidence was off.
      salt bytea,
      -- The transaction that stored the row. Records are sequenced by it: unlike a clock it never goes back.
      stored_xid bigint not null default pg_current_xact_id()::text::bigint,
      primary key (project_id, id)
    ) partition by range (id)
  `,
  // Rows are stored in the order of these two columns, so a few pages of block ranges find the newest rows.
  `
    create index consent_record_received_at on consent_record using brin (received_at)
    with (pages_per_range = 16, autosummarize = on)
  `,
  `
    create index consent_record_stored_xid on consent_record using brin (stored_xid)
    with (pages_per_range = 16, autosummarize = on)
  `,
  `
    create index consent_record_visitor on consent_record (project_id, visitor_hash, id)
    where visitor_hash is not null
  `,
  `
    create index consent_record_visitor_key on consent_record (project_id, visitor_key_hash, id)
    where visitor_key_hash is not null
  `,
  ...['hour', 'day'].map(
    (interval) => `
      create table consent_rollup_${interval} (
        project_id uuid not null references project (id) on delete cascade,
        -- Start of the ${interval}, in UTC.
        at timestamptz not null,
        action text not null,
        -- Empty: the banner sent none.
        hostname text not null,
        ${counts()},
        primary key (project_id, at, action, hostname)
      ) with (fillfactor = 80)
    `,
  ),
  `
    create table consent_rollup_audience (
      project_id uuid not null references project (id) on delete cascade,
      -- Length of the interval.
      span text not null check (span in ('hour', 'day')),
      -- Start of the interval, in UTC.
      at timestamptz not null,
      dimension text not null check (dimension in ('region', 'language')),
      -- Empty: the record has none; *: not a valid name, or beyond the limit of names.
      name text not null,
      ${counts()},
      primary key (project_id, span, at, dimension, name)
    ) with (fillfactor = 80)
  `,
  // The rollups' cursor, one row: they contain the records that were received before `done_until`.
  `
    create table consent_rollup_state (
      singleton boolean primary key default true check (singleton),
      done_until timestamptz not null
    )
  `,
  `insert into consent_rollup_state (done_until) values (date_trunc('hour', now()))`,
  `
    create table erasure_request (
      project_id uuid not null references project (id) on delete cascade,
      id uuid not null,
      -- The visitor, by one of two hashes; both null: the request is finished.
      visitor_hash bytea,
      visitor_key_hash bytea,
      reason text not null,
      requested_at timestamptz not null default now(),
      -- Records erased so far.
      erased bigint not null default 0,
      -- null: records are left to erase.
      finished_at timestamptz,
      primary key (project_id, id)
    )
  `,
  // Ids of erased records, which are erased again after a backup brought them back.
  `
    create table erased_record (
      project_id uuid not null references project (id) on delete cascade,
      consent_id uuid not null,
      erased_at timestamptz not null default now(),
      -- The transaction that erased the record, as in consent_record.
      stored_xid bigint not null default pg_current_xact_id()::text::bigint,
      primary key (project_id, consent_id)
    )
  `,
  'create index erased_record_at on erased_record (erased_at)',
  'create index erased_record_xid on erased_record (stored_xid)',
  // Erasures by visitors with their keys: beyond a limit the audit log gets one event per hour.
  `
    create table visitor_erasure_hour (
      project_id uuid not null references project (id) on delete cascade,
      -- Start of the hour, in UTC.
      at timestamptz not null,
      erasures int not null,
      primary key (project_id, at)
    )
  `,
  // Which additional field identifies a project's visitors (ADR 32). No row: none was ever configured.
  `
    create table visitor_reference (
      project_id uuid primary key references project (id) on delete cascade,
      -- null: no field.
      field text,
      -- Whether its value is stored and forwarded only as a hash.
      hashed boolean not null,
      -- 32 random bytes. Never changes, because records are found by hashes with it.
      salt bytea not null
    )
  `,
  // Cursor over the records that were stored before their project configured its visitor field (ADR 32).
  `
    create table visitor_indexing (
      project_id uuid primary key references project (id) on delete cascade,
      -- Records up to this id are indexed.
      after_id uuid not null default '00000000-0000-0000-0000-000000000000',
      requested_at timestamptz not null default clock_timestamp()
    )
  `,
];

/** The counts of every rollup. */
function counts(): string {
  return `records bigint not null,
      -- Records that answer the banner: not dismissed notices, not browser signals. The counts below are of these.
      asked bigint not null default 0,
      analytics bigint not null,
      marketing bigint not null,
      preferences bigint not null,
      -- All three categories granted, and none.
      full_accept bigint not null,
      rejection bigint not null,
      withdrawal bigint not null`;
}
