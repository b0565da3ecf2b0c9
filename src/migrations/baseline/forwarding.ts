export const forwarding = [
  `
    create table forwarding_settings (
      project_id uuid primary key references project (id) on delete cascade,
      enabled boolean not null default false,
      -- null: the project has no endpoint.
      endpoint_url text,
      -- Whether a record goes to the endpoint in its request while the project has none.
      allow_custom_endpoint boolean not null default false,
      -- Whether the receiver is notified of erased records.
      forward_erasures boolean not null default false,
      -- Whether failed deliveries are retried automatically, and until how long after the first attempt.
      retry_failures boolean not null default false,
      retry_hours smallint not null default 24
        constraint forwarding_settings_retry_hours check (retry_hours between 1 and 72),
      -- Whether the body of a failed response is stored with the attempt.
      keep_response_bodies boolean not null default false,
      auth_mode text not null default 'bearer' check (auth_mode in ('bearer', 'none')),
      -- Nonce, tag and ciphertext of the bearer token; null: there is none.
      token_ciphertext bytea,
      -- The key of SECRET_KEYS that encrypted it.
      token_key_id text,
      -- Scheme, host and port that the token was entered for; it is sent nowhere else. null: there was no endpoint.
      token_origin text,
      token_updated_at timestamptz,
      -- Requests are signed with it (Standard Webhooks). Encrypted like the token; null: there is none.
      signing_ciphertext bytea,
      signing_key_id text,
      signing_created_at timestamptz,
      -- The secret before the last rotation also signs until then; null: there is none.
      former_signing_ciphertext bytea,
      former_signing_key_id text,
      former_signing_until timestamptz,
      -- null: nothing was ever delivered.
      last_delivered_at timestamptz,
      -- Day (UTC) of the two counts below; null: nothing was counted yet.
      usage_day date,
      resent_on_day int not null default 0,
      tested_on_day int not null default 0,
      -- When the owners were last notified of undelivered records; null: never.
      undelivered_mailed_at timestamptz,
      -- null: nothing was saved yet, the row only serves as a lock.
      saved_at timestamptz default now(),
      updated_at timestamptz not null default now(),
      check ((token_ciphertext is null) = (token_key_id is null)),
      constraint forwarding_settings_enabled_has_target
        check (not enabled or endpoint_url is not null or allow_custom_endpoint)
    ) with (fillfactor = 80)
  `,
  // Why the latest failed delivery of a project failed (spec §2.2). No row: no delivery has failed.
  `
    create table forwarding_last_failure (
      project_id uuid primary key references project (id) on delete cascade,
      reason text not null,
      category text,
      -- null: no status line was received.
      http_status int,
      at timestamptz not null
    ) with (fillfactor = 80)
  `,
  // One row per finished attempt. Partitioned by outcome, which decides the retention, then by day of the id (UUIDv7).
  `
    create table delivery (
      project_id uuid not null,
      id uuid not null,
      consent_id uuid not null,
      outcome text not null,
      -- Why it failed; null: it did not.
      category text,
      -- null: no status line was received.
      http_status int,
      -- A sentence for a failure, a code for a skipped record; otherwise null.
      reason text,
      duration_ms int not null,
      attempted_at timestamptz not null,
      -- The receiver's host, never the whole URL; null: nothing was sent.
      host text,
      -- A failed repeat of an attempt that had been delivered: the record stays delivered.
      superseded boolean not null default false,
      -- 1, unless the attempt was an automatic retry.
      attempt int not null default 1,
      -- null: none was stored. Only failed attempts have one.
      response_body text,
      primary key (project_id, id, outcome)
    ) partition by list (outcome)
  `,
  'create index delivery_consent on delivery (project_id, consent_id, id)',
  `
    create table delivery_settled partition of delivery
    for values in ('delivered', 'skipped') partition by range (id)
  `,
  `create table delivery_failed partition of delivery for values in ('failed') partition by range (id)`,
  // Records that wait for an automatic retry. Not in the outbox, where claims would read past those not due yet.
  `
    create table delivery_retry (
      project_id uuid not null,
      consent_id uuid not null,
      -- Attempts so far, and the latest one in the delivery log.
      attempts int not null,
      delivery_id uuid not null,
      -- When the record was first queued, and first attempted.
      queued_since timestamptz not null,
      first_attempt_at timestamptz not null,
      due_at timestamptz not null,
      -- When its outbox message was appended; null: it waits.
      queued_at timestamptz,
      primary key (project_id, consent_id)
    ) with (fillfactor = 80)
  `,
  'create index delivery_retry_due on delivery_retry (project_id, due_at) where queued_at is null',
  'create index delivery_retry_queued on delivery_retry (project_id) where queued_at is not null',
  'create index delivery_retry_first on delivery_retry (project_id, first_attempt_at)',
  // Circuit breaker of a project's receiver (ADR 0024). No row: the circuit is closed.
  `
    create table forwarding_hold (
      project_id uuid primary key references project on delete cascade,
      phase text not null default 'closed'
        constraint forwarding_hold_phase check (phase in ('closed', 'suspect', 'open', 'half_open')),
      -- Consecutive attempts that failed because of the receiver, and the first of them; null: none.
      failures integer not null default 0,
      failing_since timestamptz,
      -- Start and reason of the hold; null: there is none, and no end is left to notify of.
      held_since timestamptz,
      held_reason text,
      ended_at timestamptz,
      -- When the owners were notified of the hold; null: not yet.
      notified_at timestamptz,
      -- Failed probes since the hold started, or since someone requested a probe.
      probes integer not null default 0,
      -- Messages that may be claimed at once after a hold.
      batch_limit integer not null default 1,
      -- Number of the last probe that has an outcome.
      answered_probe integer not null default 0,
      -- Records whose attempt failed during the hold, and queued records delivered after it.
      lost integer not null default 0,
      sent integer not null default 0
    )
  `,
];
