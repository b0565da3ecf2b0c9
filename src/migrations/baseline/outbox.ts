export const outbox = [
  // Work to do after a commit (ADR 0021). Rows are deleted once settled, so the table stays small.
  `
    create table outbox_message (
      -- Messages of one key are claimed in order: a project's id, or the key of a name (ordering-key.ts).
      ordering_key uuid not null,
      id bigint generated always as identity,
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
      primary key (ordering_key, id)
    ) with (
      fillfactor = 70,
      autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000,
      autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 20000,
      autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 20000,
      autovacuum_vacuum_cost_delay = 0
    )
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
