/** Users, sessions, memberships and API keys. better-auth defines the columns of the `user` tables. */
export const access = [
  `
    create table app_user (
      id uuid primary key,
      name text not null,
      -- In lower case.
      email text not null unique,
      email_verified boolean not null default false,
      two_factor_enabled boolean not null default false,
      image text,
      -- null: not known until the next sign-in.
      language text,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now()
    )
  `,
  `
    create table user_session (
      id uuid primary key,
      user_id uuid not null references app_user (id) on delete cascade,
      -- Useless alone: the cookie contains it together with a signature.
      token text not null unique,
      expires_at timestamptz not null,
      -- Always null: we store neither address nor browser of a session.
      ip_address text,
      user_agent text,
      -- null: unknown.
      last_used_at timestamptz default now(),
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now()
    )
  `,
  'create index user_session_user on user_session (user_id, created_at)',
  `
    create table user_account (
      id uuid primary key,
      user_id uuid not null references app_user (id) on delete cascade,
      provider_id text not null,
      account_id text not null,
      -- scrypt with a separate salt; null: the account has no password.
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
  `,
  'create index user_account_user on user_account (user_id)',
  `
    create table user_verification (
      id uuid primary key,
      identifier text not null,
      value text not null,
      expires_at timestamptz not null,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now()
    )
  `,
  'create index user_verification_identifier on user_verification (identifier)',
  `
    create table user_second_factor (
      id uuid primary key,
      user_id uuid not null unique references app_user (id) on delete cascade,
      -- Both encrypted with AUTH_SECRET.
      secret text not null,
      backup_codes text not null,
      -- false: set up, but no code was entered yet.
      verified boolean not null default false,
      failed_verification_count integer not null default 0,
      locked_until timestamptz
    )
  `,
  // Networks that a user signed in from: they stay allowed while strangers guess passwords from elsewhere.
  `
    create table user_network (
      user_id uuid not null references app_user (id) on delete cascade,
      -- Keyed hash of email and network: it reveals neither, and does not link two users of one network.
      network_hash bytea not null,
      -- The last sign-in from there.
      seen_at timestamptz not null,
      primary key (user_id, network_hash)
    )
  `,
  // Sign-in attempts, shared by all API processes. rate-limiter-flexible writes the columns by position. Unlogged:
  // after a crash of the database, counting starts again.
  `
    create unlogged table sign_in_attempt (
      -- Kind of limit and a keyed hash of the address or email, so neither is stored.
      key varchar(255) primary key,
      points integer not null default 0,
      -- When the count expires, in milliseconds since 1970.
      expire bigint
    )
  `,
  // One-time links that are mailed (ADR 29).
  `
    create table account_link (
      id uuid primary key,
      kind text not null check (kind in ('sign_up', 'reset_password', 'change_email')),
      -- SHA-256 of the token: a reader of the table cannot follow the link.
      token_hash bytea not null unique,
      -- null: not a user yet.
      user_id uuid references app_user (id) on delete cascade,
      -- The recipient, in lower case.
      email text not null,
      -- Only for sign-ups: the future user's name and the hash of their password.
      name text,
      password_hash text,
      created_at timestamptz not null default now(),
      expires_at timestamptz not null,
      check ((kind = 'sign_up') = (user_id is null)),
      check ((kind = 'sign_up') = (name is not null and password_hash is not null))
    )
  `,
  'create index account_link_email on account_link (email)',
  'create index account_link_user on account_link (user_id) where user_id is not null',
  'create index account_link_expires on account_link (expires_at)',
  `
    create table project_member (
      project_id uuid not null references project (id) on delete cascade,
      user_id uuid not null references app_user (id) on delete cascade,
      role text not null check (role in ('viewer', 'editor', 'owner')),
      created_at timestamptz not null default now(),
      primary key (project_id, user_id)
    )
  `,
  // The list of a user's projects.
  'create index project_member_user on project_member (user_id, project_id)',
  `
    create table project_invitation (
      project_id uuid not null references project (id) on delete cascade,
      id uuid not null,
      -- In lower case.
      email text not null,
      role text not null check (role in ('viewer', 'editor', 'owner')),
      -- SHA-256 of the token in the newest mail: earlier tokens are void.
      token_hash bytea not null unique,
      -- null: an API key whose creator is unknown, or a user whose account was deleted.
      invited_by uuid references app_user (id) on delete set null,
      -- Whether the owner who sent it becomes an editor when it is accepted (ADR 51).
      transfers_ownership boolean not null default false,
      created_at timestamptz not null default now(),
      sent_at timestamptz not null default now(),
      expires_at timestamptz not null,
      primary key (project_id, id),
      unique (project_id, email)
    )
  `,
  'create index project_invitation_inviter on project_invitation (invited_by) where invited_by is not null',
  'create index project_invitation_email on project_invitation (email, id)',
  `
    create table project_sign_in_policy (
      project_id uuid primary key references project (id) on delete cascade,
      second_factor_required boolean not null
    )
  `,
  // Keys are shown once and stored as a hash.
  `
    create table api_key (
      project_id uuid not null references project (id) on delete cascade,
      id uuid not null,
      name text not null,
      role text not null check (role in ('viewer', 'editor', 'owner')),
      -- Permissions beyond the role (ADR 0014).
      scopes text[] not null default '{}',
      -- Areas that the key is limited to; null: every area of the role.
      limited_to text[],
      -- SHA-256 of the key. A key is 32 random bytes, so a fast hash is enough.
      key_hash bytea not null,
      -- The first characters, to recognize a key in a list.
      prefix text not null,
      -- null: the service itself. A key is deleted with its creator's account.
      created_by uuid references app_user (id) on delete cascade,
      -- The secret before the last rotation, valid until then; null: there is none.
      former_key_hash bytea,
      former_valid_until timestamptz,
      -- Creator of that secret; null: there is none, or its creator is unknown.
      former_created_by uuid references app_user (id) on delete set null,
      created_at timestamptz not null default now(),
      -- UTC; null: never.
      last_used_on date,
      -- null: never.
      expires_at timestamptz,
      -- null: not revoked.
      revoked_at timestamptz,
      primary key (project_id, id)
    )
  `,
  'create unique index api_key_hash on api_key (key_hash)',
  'create unique index api_key_former_hash on api_key (former_key_hash)',
  'create index api_key_created_by on api_key (created_by) where created_by is not null',
  'create index api_key_former_created_by on api_key (former_created_by) where former_created_by is not null',
];
