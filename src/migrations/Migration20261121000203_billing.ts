import { Migration } from '@mikro-orm/migrations';

/** Payloads that are dropped one day, and the one checkout that a project has open at a time. */
export class Migration20261121000203_billing extends Migration {
  override up(): void {
    // null: processed 90 days ago or earlier. An older version reads null as no event and leaves it alone.
    this.addSql('alter table billing_event alter column payload drop not null');
    this.addSql(`
      create table billing_checkout (
        project_id uuid primary key references project (id) on delete cascade,
        -- What it sells; another price closes it first.
        price_id text not null,
        customer_id text not null,
        -- How many the project had by then: a further one is another checkout.
        subscriptions int not null,
        -- Makes the provider give the same checkout again, also after we died before we could write it down.
        idempotency_key text not null,
        -- The provider's checkout; null while it is being made.
        session_id text,
        claimed_at timestamptz not null
      )
    `);
  }

  override down(): void {
    this.addSql('drop table billing_checkout');
    this.addSql(`update billing_event set payload = '{}' where payload is null`);
    this.addSql('alter table billing_event alter column payload set not null');
  }
}
