import { Migration } from '@mikro-orm/migrations';

/** Projects, consent records and the outbox. Partitions are made at boot, not here: they move with time. */
export class Migration20261120000100_core extends Migration {
  override up(): void {
    this.addSql(`
      create table project (
        id uuid primary key,
        name text not null,
        domains text[] not null default '{}',
        -- The computed cache of the effective tier (spec §2.4) and why it is that.
        tier text not null default 'lite' check (tier in ('lite', 'pro', 'business', 'enterprise')),
        tier_reason text not null default 'no_subscription',
        -- The instant from which the cache may no longer be believed; null: only a write can change it.
        tier_valid_until timestamptz,
        -- Counts the changes of the cached tier.
        tier_version bigint not null default 0,
        -- The last delivery that failed (spec §2.2); null where none ever did.
        last_failure_reason text,
        last_failure_category text,
        last_failure_http_status int,
        last_failure_at timestamptz,
        -- Made by the demo of standalone mode; production refuses to start with such a project.
        demo boolean not null default false,
        created_at timestamptz not null default now()
      ) with (fillfactor = 80)
    `);
    this.addSql(
      `create index project_tier_valid_until on project (tier_valid_until) where tier_valid_until is not null`,
    );

    // One row a decision. Partitioned by month on the id, whose first 48 bits are its time (design §4).
    this.addSql(`
      create table consent_record (
        project_id uuid not null,
        id uuid not null,
        analytics boolean not null,
        marketing boolean not null,
        preferences boolean not null,
        action text not null,
        -- The page's host as the banner told it; null where it did not.
        hostname text,
        -- Legacy endpoint that came with the request (spec §2.2); null in nearly every row.
        custom_endpoint text,
        -- Additional fields, as given; null where there are none.
        extra jsonb,
        received_at timestamptz not null default now(),
        primary key (project_id, id)
      ) partition by range (id)
    `);

    // Work to be done after a commit. Rows go when settled, so the table stays small.
    this.addSql(`
      create table outbox_message (
        project_id uuid not null,
        id bigint generated always as identity,
        topic text not null,
        -- What the message is about, e.g. the consent id.
        subject_id uuid not null,
        -- Further facts of the message; null where the subject says it all.
        payload jsonb,
        -- Whose lease it is; null while nobody works on it. Every later write must name it.
        claim_id uuid,
        -- When it may be claimed: the end of the lease, or of the wait before a retry.
        available_at timestamptz not null default now(),
        -- How often it was claimed without an outcome being written: worker deaths.
        unknown_outcomes smallint not null default 0,
        -- How often its handler threw or asked for a retry, and what it said last.
        failures int not null default 0,
        last_error text,
        created_at timestamptz not null default now(),
        primary key (project_id, id)
      ) with (
        fillfactor = 70,
        autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000,
        autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 20000,
        autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 20000,
        autovacuum_vacuum_cost_delay = 0
      )
    `);

    // Messages that no handler could deal with: out of the way, counted, for an operator to look at.
    this.addSql(`
      create table outbox_dead_letter (
        project_id uuid not null,
        id bigint not null,
        topic text not null,
        subject_id uuid not null,
        payload jsonb,
        failures int not null,
        last_error text,
        created_at timestamptz not null,
        died_at timestamptz not null default now(),
        primary key (project_id, id)
      )
    `);
  }

  override down(): void {
    this.addSql('drop table outbox_dead_letter, outbox_message, consent_record, project');
  }
}
