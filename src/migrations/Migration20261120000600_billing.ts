import { Migration } from '@mikro-orm/migrations';

/** The inbox of the billing provider's webhooks, its prices and customers, and the audit of operators' grants. */
export class Migration20261120000600_billing extends Migration {
  override up(): void {
    // Numbers of synchronisations: drawn before the provider is asked, compared before a row is written.
    this.addSql('create sequence billing_sync_seq');

    // Not led by project_id: the project is often unknown when an event arrives.
    this.addSql(`
      create table billing_event (
        provider text not null,
        -- The provider's own id of the event: the same one twice is one row.
        event_id text not null,
        type text not null,
        -- What the event is about, by the provider's ids; null where it names none.
        object_id text,
        subscription_id text,
        customer_id text,
        -- The project, once known; kept when the project goes.
        project_id uuid,
        -- The signed body as it came: JSON, as text, because jsonb refuses some valid JSON.
        payload text not null,
        -- When the provider says that it happened (whole seconds).
        provider_created_at timestamptz not null,
        -- How we heard of it.
        source text not null check (source in ('webhook', 'reconciliation')),
        status text not null check (status in ('pending', 'processed', 'ignored', 'dead')),
        -- Claims so far; one that ended without an outcome (a worker that died) counts too.
        attempts int not null default 0,
        -- Whose lease it is; null while nobody works on it. Every later write must name it.
        claim_id uuid,
        -- When it may be claimed: the end of the lease, or of the wait before a retry.
        available_at timestamptz not null default now(),
        -- Why it failed last, or what was decided: a stable code and a sentence; null where all went well.
        code text,
        last_error text,
        received_at timestamptz not null default now(),
        -- When the last outcome was written; null while pending.
        finished_at timestamptz,
        primary key (provider, event_id)
      ) with (fillfactor = 80)
    `);
    this.addSql(
      `create index billing_event_pending on billing_event (available_at) where status = 'pending'`,
    );
    this.addSql(`create index billing_event_dead on billing_event (finished_at) where status = 'dead'`);
    this.addSql(
      `create index billing_event_subscription on billing_event (subscription_id, provider_created_at)
       where subscription_id is not null`,
    );
    this.addSql(
      `create index billing_event_customer on billing_event (customer_id) where type = 'customer.deleted'`,
    );

    // Append-only: what a price once sold, it sells for good, or old subscriptions would change their tier.
    this.addSql(`
      create table billing_price (
        price_id text primary key,
        tier text not null check (tier in ('pro', 'business')),
        "interval" text not null check ("interval" in ('month', 'year')),
        created_at timestamptz not null default now()
      )
    `);

    this.addSql(`
      create table billing_customer (
        project_id uuid primary key references project (id) on delete cascade,
        -- The provider's customer; null after it was deleted there.
        customer_id text unique,
        -- Part of the idempotency key that makes the customer; goes up when a customer was deleted.
        generation int not null default 0,
        created_at timestamptz not null default now(),
        updated_at timestamptz not null default now()
      )
    `);

    // What operators granted and revoked by hand. Rows are never changed.
    this.addSql(`
      create table billing_grant_log (
        project_id uuid not null references project (id) on delete cascade,
        id uuid not null,
        subscription_id uuid not null,
        action text not null check (action in ('grant', 'revoke')),
        tier text not null,
        reason text not null,
        -- The end of the grant; of a revoked one: the end it would have had.
        expires_at timestamptz not null,
        operator text not null,
        at timestamptz not null,
        primary key (project_id, id)
      )
    `);
  }

  override down(): void {
    this.addSql('drop table billing_grant_log, billing_customer, billing_price, billing_event');
    this.addSql('drop sequence billing_sync_seq');
  }
}
