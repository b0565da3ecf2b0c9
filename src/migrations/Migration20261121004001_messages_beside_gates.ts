import { Migration } from '@mikro-orm/migrations';

/**
 * Behind a gate a million consent records may wait: what else has their ordering key is found without reading them.
 * The index holds nothing of what is appended all the time. Made while everybody goes on writing, so not in a transaction.
 */
export class Migration20261121004001_messages_beside_gates extends Migration {
  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    // One that broke off leaves an index that is not valid.
    this.addSql('drop index if exists outbox_message_beside_gates');
    this.addSql(`
      create index concurrently outbox_message_beside_gates on outbox_message (ordering_key, id)
      where topic <> 'consent.recorded'
    `);
  }

  override down(): void {
    this.addSql('drop index outbox_message_beside_gates');
  }
}
