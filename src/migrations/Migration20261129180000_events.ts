import { Migration } from '@mikro-orm/migrations';

/** Event endpoints, events, and their deliveries (src/modules/events). */
export class Migration20261129180000_events extends Migration {
  override async up(): Promise<void> {
    this.addSql(`
      create table event_endpoint (
        project_id uuid not null references project (id) on delete cascade,
        id uuid not null,
        url text not null,
        description text not null,
        event_types text[] not null,
        enabled boolean not null,
        -- null: it is enabled.
        disabled_reason text constraint event_endpoint_disabled_reason check (disabled_reason in ('owner', 'no_success')),
        -- Whether the body of a failed response is stored with the attempt.
        keep_response_bodies boolean not null,
        -- Nonce, tag and ciphertext of the signing secret, and the key of SECRET_KEYS that encrypted it.
        secret_ciphertext bytea not null,
        secret_key_id text not null,
        -- The secret before the last rotation also signs until then; null: there is none.
        former_secret_ciphertext bytea,
        former_secret_key_id text,
        former_secret_until timestamptz,
        -- Circuit breaker of the receiver, as in forwarding_hold (ADR 0024).
        phase text not null default 'closed'
          constraint event_endpoint_phase check (phase in ('closed', 'suspect', 'open', 'half_open')),
        failures integer not null default 0,
        failing_since timestamptz,
        held_since timestamptz,
        held_reason text,
        probes integer not null default 0,
        batch_limit integer not null default 1,
        answered_probe integer not null default 0,
        -- While the circuit is not closed: when the oldest waiting events are sent, how many, and the number of the batch.
        next_claim_at timestamptz,
        claim_limit integer not null default 1,
        probe_number integer not null default 0,
        -- When the scheduler looks for waiting events; null: none wait.
        wake_at timestamptz,
        -- First failed attempt since the last success, and the day of the last mail about it.
        unsuccessful_since timestamptz,
        mailed_day smallint not null default 0,
        last_delivered_at timestamptz,
        created_at timestamptz not null default now(),
        primary key (project_id, id),
        constraint event_endpoint_reason check (enabled = (disabled_reason is null))
      ) with (fillfactor = 80)
    `);
    this.addSql('create index event_endpoint_wake on event_endpoint (wake_at) where wake_at is not null');
    this.addSql(`create index event_endpoint_unsuccessful on event_endpoint (unsuccessful_since)
      where enabled and unsuccessful_since is not null`);
    this.addSql(`
      create table event (
        project_id uuid not null references project (id) on delete cascade,
        id uuid not null,
        type text not null,
        -- Without the project and the address, which are added when it is sent.
        data jsonb not null,
        created_at timestamptz not null default now(),
        primary key (project_id, id)
      )
    `);
    this.addSql('create index event_type on event (project_id, type, id)');
    this.addSql('create index event_age on event (created_at)');
    this.addSql(`
      create table event_delivery (
        project_id uuid not null,
        endpoint_id uuid not null,
        event_id uuid not null,
        state text not null constraint event_delivery_state check (state in ('pending', 'delivered', 'failed', 'skipped')),
        -- Attempts in all, and those that decide the next delay: probes of a held endpoint do not count.
        attempts integer not null default 0,
        tries integer not null default 0,
        -- When it was queued, at first or by a resend; 72 hours later it has failed.
        queued_since timestamptz not null default now(),
        -- When it is attempted next, at the earliest; null unless pending.
        due_at timestamptz,
        -- When its outbox message was appended; null: it waits.
        queued_at timestamptz,
        primary key (project_id, endpoint_id, event_id),
        foreign key (project_id, endpoint_id) references event_endpoint (project_id, id) on delete cascade,
        foreign key (project_id, event_id) references event (project_id, id) on delete cascade,
        constraint event_delivery_due check ((state = 'pending') = (due_at is not null))
      ) with (fillfactor = 80)
    `);
    this.addSql('create index event_delivery_event on event_delivery (project_id, event_id)');
    this.addSql(`create index event_delivery_waiting on event_delivery (project_id, endpoint_id, event_id)
      where state = 'pending' and queued_at is null`);
    this.addSql(`create index event_delivery_due on event_delivery (project_id, endpoint_id, due_at)
      where state = 'pending' and queued_at is null`);
    this.addSql(
      `create index event_delivery_pending on event_delivery (queued_since) where state = 'pending'`,
    );
    // One row for each attempt, and for each event that expired or was skipped.
    this.addSql(`
      create table event_attempt (
        project_id uuid not null,
        endpoint_id uuid not null,
        id uuid not null,
        event_id uuid not null,
        outcome text not null constraint event_attempt_outcome check (outcome in ('delivered', 'failed', 'skipped')),
        -- 1 for the first attempt; the number of attempts so far where there was none.
        attempt integer not null,
        category text,
        -- null: no status line was received.
        http_status integer,
        reason text,
        duration_ms integer not null,
        attempted_at timestamptz not null,
        -- null: none was stored. Only failed attempts have one.
        response_body text,
        primary key (project_id, endpoint_id, id),
        foreign key (project_id, endpoint_id) references event_endpoint (project_id, id) on delete cascade,
        foreign key (project_id, event_id) references event (project_id, id) on delete cascade
      )
    `);
    this.addSql('create index event_attempt_event on event_attempt (project_id, event_id)');
  }
}
