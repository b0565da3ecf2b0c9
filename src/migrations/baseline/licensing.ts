export const licensing = [
  // The source of truth of every tier (spec §2.4).
  `
    create table subscription (
      project_id uuid not null references project (id) on delete cascade,
      id uuid not null,
      -- Its origin: the billing provider, an operator, or a test outside production.
      provider text not null check (provider in ('stripe', 'manual', 'simulated')),
      -- The provider's id. Manual: the row's id. Simulated: the project's id, so a project has one at most.
      external_id text not null,
      -- The provider's customer and price; null for manual and simulated subscriptions.
      customer_id text,
      price_id text,
      -- null: the price is unknown, so the subscription grants nothing.
      tier text check (tier in ('pro', 'business', 'enterprise')),
      -- null: nothing is billed, or the price is unknown.
      "interval" text check ("interval" in ('month', 'year')),
      -- As the provider sent it, unknown values included.
      status text not null check (char_length(status) between 1 and 64),
      -- The last known value; null: there was none.
      known_status text,
      -- Since when the status holds; a change from one unknown value to another does not move it.
      status_since timestamptz not null,
      -- The paid period; null: the provider sends none.
      current_period_start timestamptz,
      current_period_end timestamptz,
      -- When it will end; null: it renews.
      cancel_at timestamptz,
      -- When the cancellation was requested; null: it was not.
      canceled_at timestamptz,
      -- null: it has not ended.
      ended_at timestamptz,
      -- null: it has not ended, or the reason is unknown. Then there is no grace period.
      end_reason text check (end_reason in ('requested', 'payment_failed', 'dispute')),
      -- null: no payment is overdue.
      past_due_since timestamptz,
      -- Invoices are not collected for now; the subscription stays active (design §6.2).
      collection_paused boolean not null default false,
      -- Number of the synchronization that wrote the row; a smaller one never overwrites it. 0: none has.
      sync_seq bigint not null default 0,
      -- Why and by which operator it was granted; null: not by an operator.
      reason text,
      granted_by text,
      -- From then on it grants nothing, whatever its status; null: the status decides.
      expires_at timestamptz,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      primary key (project_id, id),
      unique (provider, external_id),
      -- Enterprise is sold by people, never by the checkout (design §6.2).
      check (tier is distinct from 'enterprise' or provider in ('manual', 'simulated')),
      check (provider <> 'manual' or (reason is not null and granted_by is not null and expires_at is not null))
    )
  `,
  'create index subscription_customer on subscription (customer_id) where customer_id is not null',
  `create unique index subscription_simulated on subscription (project_id) where provider = 'simulated'`,
  `
    create table tier_change (
      project_id uuid not null references project (id) on delete cascade,
      id uuid not null,
      from_tier text not null,
      to_tier text not null,
      -- What caused the evaluation: simulate, sweep, billing, …
      reason text not null,
      -- The rule that decided the new tier (TIER_REASONS).
      tier_reason text not null,
      -- The subscription that was written, else the one that grants the new tier; null: none does.
      subscription_id uuid,
      -- The provider's event; null: no event was the cause.
      event_id text,
      -- kind:id; null: the service itself.
      actor text,
      at timestamptz not null,
      primary key (project_id, id)
    )
  `,
];
