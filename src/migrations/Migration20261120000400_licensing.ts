import { Migration } from '@mikro-orm/migrations';

/** Subscriptions, the source of truth of every tier (spec §2.4), and the audit of tier changes. */
export class Migration20261120000400_licensing extends Migration {
  override up(): void {
    this.addSql(`
      create table subscription (
        project_id uuid not null references project (id) on delete cascade,
        id uuid not null,
        -- Who says that it exists: the billing provider, an operator, or a test outside production.
        provider text not null check (provider in ('stripe', 'manual', 'simulated')),
        -- The provider's own id. Manual: the row's id. Simulated: the project's id, so a project has only one.
        external_id text not null,
        -- The provider's customer; null for manual and simulated ones.
        customer_id text,
        -- The provider's price; null for manual and simulated ones.
        price_id text,
        -- What it grants; null where the price is none that we know, and then it grants nothing.
        tier text check (tier in ('pro', 'business', 'enterprise')),
        -- How often it is billed; null where nothing is billed, or the price is unknown.
        "interval" text check ("interval" in ('month', 'year')),
        -- As the provider says it, words that we do not know included.
        status text not null check (char_length(status) between 1 and 64),
        -- The last status that we understood; null where we never did.
        known_status text,
        -- Since when the status holds; changes between unknown words do not move it.
        status_since timestamptz not null,
        -- The period that is paid; null where the provider tells none.
        current_period_start timestamptz,
        current_period_end timestamptz,
        -- When it is going to end; null where it renews.
        cancel_at timestamptz,
        -- When its end was asked for; null where it was not.
        canceled_at timestamptz,
        -- When it ended; null while it runs.
        ended_at timestamptz,
        -- Why it ended; null while it runs, and where nobody knows: then there is no grace.
        end_reason text check (end_reason in ('requested', 'payment_failed', 'dispute')),
        -- Since when a payment is overdue; null where none is.
        past_due_since timestamptz,
        -- Invoices are not collected for now; it stays active meanwhile (design §6.2).
        collection_paused boolean not null default false,
        -- Number of the synchronisation that wrote the row; a smaller one never overwrites it. 0: none did.
        sync_seq bigint not null default 0,
        -- Why an operator granted it; null where none did.
        reason text,
        -- Which operator; null where none did.
        granted_by text,
        -- When it stops granting anything, whatever its status; null: its status alone decides.
        expires_at timestamptz,
        created_at timestamptz not null default now(),
        updated_at timestamptz not null default now(),
        primary key (project_id, id),
        unique (provider, external_id),
        -- Enterprise is sold by people, never by the checkout (design §6.2).
        check (tier is distinct from 'enterprise' or provider in ('manual', 'simulated')),
        check (provider <> 'manual' or (reason is not null and granted_by is not null and expires_at is not null))
      )
    `);
    this.addSql(
      `create index subscription_customer on subscription (customer_id) where customer_id is not null`,
    );
    this.addSql(
      `create unique index subscription_simulated on subscription (project_id) where provider = 'simulated'`,
    );

    this.addSql(`
      create table tier_change (
        project_id uuid not null references project (id) on delete cascade,
        id uuid not null,
        from_tier text not null,
        to_tier text not null,
        -- What made us look: simulate, sweep, billing, ...
        reason text not null,
        -- Why the tier is now what it is (TIER_REASONS).
        tier_reason text not null,
        -- The subscription that was written, or else the one that grants the new tier; null where none does.
        subscription_id uuid,
        -- The provider's event; null where no event was the cause.
        event_id text,
        -- Who did it, as kind:id; null: the service itself.
        actor text,
        at timestamptz not null,
        primary key (project_id, id)
      )
    `);
  }

  override down(): void {
    this.addSql('drop table tier_change, subscription');
  }
}
