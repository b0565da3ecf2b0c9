import { Migration } from '@mikro-orm/migrations';

/**
 * Billing events are worked through by the outbox (ADR 0021): each that is pending has a message there, and each that is
 * dead a dead letter. What the version before stored is taken over, and what it stores while this one is rolled out gets
 * its message at its commit. Its workers go on claiming events by `claim_id` and `available_at`: an event that is worked
 * through twice comes out the same. The next release drops the trigger, its function, these two columns and their index.
 */
export class Migration20261121001004_billing_messages extends Migration {
  override up(): void {
    // As `messageOf` in billing/domain/billing-message.ts.
    this.addSql(`
      create function billing_event_append_message() returns trigger language plpgsql as $$
      declare
        key uuid := outbox_named_key('billing:' || coalesce(new.subscription_id, new.customer_id, new.event_id));
        subject uuid := outbox_named_key('billing-event:' || new.event_id);
      begin
        if not exists (select from outbox_message where ordering_key = key and subject_id = subject) then
          insert into outbox_message (ordering_key, topic, subject_id, payload, available_at)
          values (key, 'billing.event', subject, jsonb_build_object('eventId', new.event_id), new.available_at);
        end if;
        return null;
      end $$
    `);
    // At the commit, because this version writes the message itself, behind the event and in the same transaction.
    for (const [name, event, condition] of [
      ['inserted', 'insert', `new.status = 'pending'`],
      ['replayed', 'update of status', `new.status = 'pending' and old.status <> 'pending'`],
    ]) {
      this.addSql(`
        create constraint trigger billing_event_${name} after ${event} on billing_event deferrable initially deferred
        for each row when (${condition}) execute function billing_event_append_message()
      `);
    }
    this.addSql(`
      insert into outbox_message (ordering_key, topic, subject_id, payload, available_at, failures, created_at)
      select outbox_named_key('billing:' || coalesce(subscription_id, customer_id, event_id)), 'billing.event',
             outbox_named_key('billing-event:' || event_id), jsonb_build_object('eventId', event_id), available_at,
             attempts, received_at
      from billing_event where status = 'pending' order by received_at
    `);
    this.addSql(`
      insert into outbox_dead_letter (ordering_key, id, topic, subject_id, payload, failures, last_error, created_at, died_at)
      select outbox_named_key('billing:' || coalesce(subscription_id, customer_id, event_id)),
             nextval(pg_get_serial_sequence('outbox_message', 'id')), 'billing.event',
             outbox_named_key('billing-event:' || event_id), jsonb_build_object('eventId', event_id), attempts,
             concat_ws(': ', code, last_error), received_at, coalesce(finished_at, now())
      from billing_event where status = 'dead' order by finished_at
    `);
  }

  override down(): void {
    this.addSql('drop trigger billing_event_inserted on billing_event');
    this.addSql('drop trigger billing_event_replayed on billing_event');
    this.addSql('drop function billing_event_append_message');
    this.addSql(`delete from outbox_message where topic = 'billing.event'`);
    this.addSql(`delete from outbox_dead_letter where topic = 'billing.event'`);
  }
}
