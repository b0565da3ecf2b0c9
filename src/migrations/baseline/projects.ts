export const projects = [
  `
    create table project (
      id uuid primary key,
      name text not null,
      -- Host names that may send consents; empty: every origin may.
      domains text[] not null default '{}',
      -- Who decides about the project's records (GDPR Art. 4(7)); null: not given.
      controller_name text,
      controller_contact text,
      -- Cache of the effective tier (spec §2.4), and the rule that decided it.
      tier text not null default 'lite' check (tier in ('lite', 'pro', 'business', 'enterprise')),
      tier_reason text not null default 'no_subscription',
      -- When the cache expires; null: only a write changes the tier.
      tier_valid_until timestamptz,
      -- Number of changes of the cached tier.
      tier_version bigint not null default 0,
      -- Created by the demo of standalone mode; production refuses to start with such a project.
      demo boolean not null default false,
      created_at timestamptz not null default now()
    ) with (fillfactor = 80)
  `,
  'create index project_tier_valid_until on project (tier_valid_until) where tier_valid_until is not null',
];
