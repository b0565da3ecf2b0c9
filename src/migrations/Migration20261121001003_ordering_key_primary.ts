import { Migration } from '@mikro-orm/migrations';

/**
 * The third step takes a moment's lock: the index that is there becomes the primary key. A worker of the version before
 * goes on claiming by project, without an index: slower, and no less right.
 */
export class Migration20261121001003_ordering_key_primary extends Migration {
  override up(): void {
    // The check that holds already spares reading the table for this.
    this.addSql('alter table outbox_message alter column ordering_key set not null');
    this.addSql(`
      alter table outbox_message
        drop constraint outbox_message_ordering_key_given,
        drop constraint outbox_message_pkey,
        add constraint outbox_message_pkey primary key using index outbox_message_ordered
    `);
    // No row lacks its key any more, and a trigger before updates locks each row that a claim takes once more.
    this.addSql('drop trigger outbox_message_ordering_key on outbox_message');
    this.addSql(`
      create trigger outbox_message_ordering_key before insert on outbox_message
      for each row when (new.ordering_key is null) execute function outbox_fill_ordering_key()
    `);
    // The project that the message is about; null where it is about none, or nobody knows.
    this.addSql('alter table outbox_message alter column project_id drop not null');
  }

  override down(): void {
    this.addSql('delete from outbox_message where project_id is null');
    this.addSql(`
      alter table outbox_message
        drop constraint outbox_message_pkey, add primary key (project_id, id),
        add constraint outbox_message_ordering_key_given check (ordering_key is not null)
    `);
    this.addSql('alter table outbox_message alter column ordering_key drop not null');
    this.addSql('create unique index outbox_message_ordered on outbox_message (ordering_key, id)');
  }
}
