import { Migration } from '@mikro-orm/migrations';

/** Automatic retries of failed deliveries (ADR 0061): the setting, the waiting records, and the number of each attempt. */
export class Migration20261203000000_retry_failures extends Migration {
  override up(): void {
    this.addSql(`
      alter table forwarding_settings
        -- Whether failed deliveries are retried automatically, and until how long after the first attempt.
        add column retry_failures boolean not null default false,
        add column retry_hours smallint not null default 24
          constraint forwarding_settings_retry_hours check (retry_hours between 1 and 72)
    `);
    // 1, unless the attempt was an automatic retry. A constant default rewrites no partition.
    this.addSql('alter table delivery add column attempt int not null default 1');
    // Records that wait for an automatic retry. Not in the outbox, where claims would read past those not due yet.
    this.addSql(`
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
    `);
    this.addSql(
      'create index delivery_retry_due on delivery_retry (project_id, due_at) where queued_at is null',
    );
    this.addSql(
      'create index delivery_retry_queued on delivery_retry (project_id) where queued_at is not null',
    );
    this.addSql('create index delivery_retry_first on delivery_retry (project_id, first_attempt_at)');
  }
}
