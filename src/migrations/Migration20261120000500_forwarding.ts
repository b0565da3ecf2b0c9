import { Migration } from '@mikro-orm/migrations';

/** Forwarding settings and the delivery log. Partitions are made at boot, not here: they move with time. */
export class Migration20261120000500_forwarding extends Migration {
  override up(): void {
    this.addSql(`
      create table forwarding_settings (
        project_id uuid primary key references project (id) on delete cascade,
        enabled boolean not null default false,
        -- null: the project has no endpoint of its own.
        endpoint_url text,
        auth_mode text not null default 'bearer' check (auth_mode in ('bearer', 'none')),
        -- Nonce, tag and ciphertext of the bearer token; null where none is stored.
        token_ciphertext bytea,
        -- Which key of SECRET_KEYS encrypted it.
        token_key_id text,
        -- Scheme, host and port that the token was given for: it is sent nowhere else. Null: no endpoint then.
        token_origin text,
        token_updated_at timestamptz,
        -- null: nothing was ever delivered.
        last_delivered_at timestamptz,
        updated_at timestamptz not null default now(),
        check ((token_ciphertext is null) = (token_key_id is null)),
        check (not enabled or endpoint_url is not null)
      ) with (fillfactor = 80)
    `);
    // One row a finished attempt. Split by how long the outcome is kept, then by day of the id, whose first
    // 48 bits are the time of the attempt.
    this.addSql(`
      create table delivery (
        project_id uuid not null,
        id uuid not null,
        consent_id uuid not null,
        outcome text not null,
        -- Why it failed; null for the other outcomes.
        category text,
        -- null where no status line came back.
        http_status int,
        -- A sentence where it failed, a code where it was skipped, else null.
        reason text,
        duration_ms int not null,
        attempted_at timestamptz not null,
        -- The receiver's host, never its whole URL; null where nothing was sent.
        host text,
        primary key (project_id, id, outcome)
      ) partition by list (outcome)
    `);
    this.addSql('create index delivery_consent on delivery (project_id, consent_id, id)');
    this.addSql(`
      create table delivery_settled partition of delivery
      for values in ('delivered', 'skipped') partition by range (id)
    `);
    this.addSql(`
      create table delivery_failed partition of delivery for values in ('failed') partition by range (id)
    `);
  }

  override down(): void {
    this.addSql('drop table delivery, forwarding_settings');
  }
}
