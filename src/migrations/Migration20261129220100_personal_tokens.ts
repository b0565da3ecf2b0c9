import { Migration } from '@mikro-orm/migrations';

/** Personal tokens of the command line, and the requests for them by device code (RFC 8628). */
export class Migration20261129220100_personal_tokens extends Migration {
  override async up(): Promise<void> {
    this.addSql(`
      create table personal_token (
        id uuid primary key,
        user_id uuid not null references app_user (id) on delete cascade,
        -- Name of the machine that asked for it.
        name text not null,
        -- SHA-256.
        token_hash bytea not null unique,
        created_at timestamptz not null default now(),
        expires_at timestamptz not null,
        -- UTC; null: not used yet.
        last_used_on date
      )
    `);
    this.addSql('create index personal_token_user on personal_token (user_id, created_at)');
    this.addSql(`
      create table device_authorization (
        id uuid primary key,
        -- SHA-256, and an HMAC of the short code that a person types.
        device_code_hash bytea not null unique,
        user_code_hash bytea not null unique,
        device_name text not null,
        -- Network of the machine; null: unknown.
        network text,
        state text not null constraint device_authorization_state check (state in ('pending', 'approved', 'denied')),
        -- Who approved or denied it.
        user_id uuid references app_user (id) on delete cascade,
        interval_seconds smallint not null,
        polled_at timestamptz,
        created_at timestamptz not null default now(),
        expires_at timestamptz not null,
        constraint device_authorization_user check ((state = 'pending') = (user_id is null))
      )
    `);
    this.addSql('create index device_authorization_expiry on device_authorization (expires_at)');
    this.addSql('create index device_authorization_user_id on device_authorization (user_id)');
  }
}
