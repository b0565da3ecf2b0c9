import { Migration } from '@mikro-orm/migrations';

/**
 * One-time links of accounts (ADR 29). Accounts that were there before have not proven their address and stay
 * unconfirmed: a membership counts once their person has come back by a link, or the operator vouches for them.
 */
export class Migration20261121005000_account_link extends Migration {
  override up(): void {
    this.addSql(`
      create table account_link (
        id uuid primary key,
        kind text not null check (kind in ('sign_up', 'reset_password')),
        -- SHA-256 of the token: who reads the table cannot follow the link.
        token_hash bytea not null unique,
        -- null: of a person who is no user yet.
        user_id uuid references app_user (id) on delete cascade,
        -- Where the link was mailed to, in lower case.
        email text not null,
        -- Of a sign-up alone: what the user will be called, and the hash of her password.
        name text,
        password_hash text,
        created_at timestamptz not null default now(),
        expires_at timestamptz not null,
        check ((kind = 'sign_up') = (user_id is null)),
        check ((kind = 'sign_up') = (name is not null and password_hash is not null))
      )
    `);
    this.addSql('create index account_link_email on account_link (email)');
    this.addSql('create index account_link_user on account_link (user_id) where user_id is not null');
    this.addSql('create index account_link_expires on account_link (expires_at)');
  }

  override down(): void {
    this.addSql('drop table account_link');
  }
}
