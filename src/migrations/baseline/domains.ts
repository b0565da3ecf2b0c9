/** Ways to serve our files from a site's host: a proxied path, or a custom hostname (docs/first-party.md). */
export const domains = [
  // One path proxy per project: hashes of its secrets, and the last request that proved it.
  `
    create table first_party_proxy (
      project_id uuid primary key references project (id) on delete cascade,
      -- SHA-256 of the secret that the proxy sends; null: there is none.
      secret_hash bytea,
      secret_created_at timestamptz,
      -- The secret before the last rotation, valid until then; null: there is none.
      former_secret_hash bytea,
      former_valid_until timestamptz,
      -- The last request with a valid secret, and the host and prefix that it came for; null: none so far.
      proven_at timestamptz,
      host text,
      prefix text,
      -- The last request without a valid secret; null: none so far.
      unproven_at timestamptz,
      constraint first_party_proxy_secret check ((secret_hash is null) = (secret_created_at is null)),
      constraint first_party_proxy_former check (
        (former_secret_hash is null) = (former_valid_until is null)
        and (former_secret_hash is null or secret_hash is not null)
      )
    )
  `,
  // Hostnames of customers on which their banner is served.
  `
    create table custom_domain (
      id uuid primary key,
      project_id uuid not null references project (id) on delete cascade,
      hostname text not null,
      -- Expected in the TXT record that proves control.
      token text not null,
      state text not null,
      state_since timestamptz not null,
      created_at timestamptz not null,
      -- The last check, and the last good one; null: none so far.
      checked_at timestamptz,
      good_at timestamptz,
      next_check_at timestamptz not null,
      -- How the last good check found control; null: no good check.
      method text,
      -- Why the last check failed, and the value that DNS returned instead; null: it did not fail.
      problem text,
      found text,
      -- Authorities that CAA records allow; null: any, or not known.
      caa_issuers text[],
      -- Whether the last check could read the CAA records.
      caa_known boolean not null default false,
      -- When owners were mailed before suspension or release; null: not in this state.
      warned_at timestamptz,
      -- When the edge was last allowed to request a certificate; null: never.
      certificate_asked_at timestamptz,
      -- Last request over the host, to the hour; null: none so far.
      seen_at timestamptz,
      constraint custom_domain_state check (state in ('pending', 'verified', 'active', 'failing', 'suspended')),
      constraint custom_domain_good check (state = 'pending' or good_at is not null)
    )
  `,
  'create unique index custom_domain_project on custom_domain (project_id, hostname)',
  // Several projects may claim a host; at most one of them has proven control.
  `create unique index custom_domain_holder on custom_domain (hostname) where state <> 'pending'`,
  'create index custom_domain_due on custom_domain (next_check_at)',
  // Domains that a project added on a day.
  `
    create table custom_domain_attempts (
      project_id uuid primary key references project (id) on delete cascade,
      day date not null,
      attempts integer not null
    )
  `,
];
