import { Migration } from '@mikro-orm/migrations';

/** People, their sessions and their places in projects. The first four tables have the shape better-auth asks for. */
export class Migration20261120000300_sign_in extends Migration {
  override up(): void {
    this.addSql(`
      create table app_user (
        id uuid primary key,
        name text not null,
        -- Always in lower case.
        email text not null unique,
        email_verified boolean not null default false,
        image text,
        created_at timestamptz not null default now(),
        updated_at timestamptz not null default now()
      )
    `);
    this.addSql(`
      create table user_session (
        id uuid primary key,
        user_id uuid not null references app_user (id) on delete cascade,
        -- Of no use alone: the cookie carries it together with a signature.
        token text not null unique,
        expires_at timestamptz not null,
        -- Columns of better-auth that stay empty: we keep neither address nor browser of a session.
        ip_address text,
        user_agent text,
        created_at timestamptz not null default now(),
        updated_at timestamptz not null default now()
      )
    `);
    this.addSql('create index user_session_user on user_session (user_id, created_at)');
    this.addSql(`
      create table user_account (
        id uuid primary key,
        user_id uuid not null references app_user (id) on delete cascade,
        provider_id text not null,
        account_id text not null,
        -- scrypt with a salt of its own; null for accounts that have no password.
        password text,
        access_token text,
        refresh_token text,
        id_token text,
        access_token_expires_at timestamptz,
        refresh_token_expires_at timestamptz,
        scope text,
        created_at timestamptz not null default now(),
        updated_at timestamptz not null default now()
      )
    `);
    this.addSql('create index user_account_user on user_account (user_id)');
    this.addSql(`
      create table user_verification (
        id uuid primary key,
        identifier text not null,
        value text not null,
        expires_at timestamptz not null,
        created_at timestamptz not null default now(),
        updated_at timestamptz not null default now()
      )
    `);
    this.addSql('create index user_verification_identifier on user_verification (identifier)');

    // Counts of sign-in attempts, shared by all API processes. Column order and types are those that
    // rate-limiter-flexible writes by position. Unlogged: after a crash of the database, counting starts anew.
    this.addSql(`
      create unlogged table sign_in_attempt (
        -- Kind of limit and a keyed hash of the address or e-mail, so that neither is stored.
        key varchar(255) primary key,
        points integer not null default 0,
        -- Milliseconds since 1970 at which the count ends.
        expire bigint
      )
    `);

    this.addSql(`
      create table project_member (
        project_id uuid not null references project (id) on delete cascade,
        user_id uuid not null references app_user (id) on delete cascade,
        role text not null check (role in ('viewer', 'editor', 'owner')),
        created_at timestamptz not null default now(),
        primary key (project_id, user_id)
      )
    `);
    // The projects of one person, for their list.
    this.addSql('create index project_member_user on project_member (user_id, project_id)');
  }

  override down(): void {
    this.addSql(
      'drop table project_member, sign_in_attempt, user_verification, user_account, user_session, app_user',
    );
  }
}
