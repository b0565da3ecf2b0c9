export const billing = [
  // Numbers of synchronizations: drawn before the request to the provider, compared before a row is written.
  'create sequence billing_sync_seq',
  // Inbox of the billing provider's webhooks. Not keyed by project, which is often unknown when an event arrives.
  `
    create table billing_event (
      provider text not null,
      -- The provider's id: an event that arrives twice is one row.
      event_id text not null,
      type text not null,
      -- What the event is about, by the provider's ids; null: the event does not contain it.
      object_id text,
      subscription_id text,
      customer_id text,
      -- null: unknown. Stays when the project is deleted.
      project_id uuid,
      -- The signed body: JSON, as text, because jsonb rejects some valid JSON. null: deleted after its retention.
      payload text,
      -- When it happened, by the provider's clock (whole seconds).
      provider_created_at timestamptz not null,
      source text not null check (source in ('webhook', 'reconciliation')),
      status text not null check (status in ('pending', 'processed', 'ignored', 'dead')),
      -- Attempts so far, those that ended without an outcome included.
      attempts int not null default 0,
      -- The last error or decision, as a stable code and a sentence; null: success.
      code text,
      last_error text,
      received_at timestamptz not null default now(),
      -- When the last outcome was written; null: pending.
      finished_at timestamptz,
      primary key (provider, event_id)
    ) with (fillfactor = 80)
  `,
  `create index billing_event_pending on billing_event (received_at) where status = 'pending'`,
  `create index billing_event_dead on billing_event (finished_at) where status = 'dead'`,
  `
    create index billing_event_subscription on billing_event (subscription_id, provider_created_at)
    where subscription_id is not null
  `,
  `create index billing_event_customer on billing_event (customer_id) where type = 'customer.deleted'`,
  // Append-only: a price sells the same tier for good, or old subscriptions would change theirs.
  `
    create table billing_price (
      price_id text primary key,
      tier text not null check (tier in ('pro', 'business')),
      "interval" text not null check ("interval" in ('month', 'year')),
      created_at timestamptz not null default now()
    )
  `,
  `
    create table billing_customer (
      project_id uuid primary key references project (id) on delete cascade,
      -- The provider's customer; null: deleted there.
      customer_id text unique,
      -- Part of the idempotency key that creates the customer; increased when a customer is deleted.
      generation int not null default 0,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now()
    )
  `,
  // The one checkout that a project has open at a time.
  `
    create table billing_checkout (
      project_id uuid primary key references project (id) on delete cascade,
      -- Another price closes the checkout first.
      price_id text not null,
      customer_id text not null,
      -- How many the project had when it was opened: one more means another checkout.
      subscriptions int not null,
      -- Makes the provider return the same checkout again, even if we crash before we store it.
      idempotency_key text not null,
      -- The provider's checkout; null: being created.
      session_id text,
      claimed_at timestamptz not null
    )
  `,
  // Grants and revocations by operators. Append-only.
  `
    create table billing_grant_log (
      project_id uuid not null references project (id) on delete cascade,
      id uuid not null,
      subscription_id uuid not null,
      action text not null check (action in ('grant', 'revoke')),
      tier text not null,
      reason text not null,
      -- End of the grant; of a revoked one: the end that it would have had.
      expires_at timestamptz not null,
      operator text not null,
      at timestamptz not null,
      primary key (project_id, id)
    )
  `,
];
