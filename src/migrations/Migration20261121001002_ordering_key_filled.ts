import { Migration } from '@mikro-orm/migrations';

/** Rows are filled, and locked, so many blocks at a time; a block has about 80 messages. */
const BLOCKS = 128;

/**
 * The second step: what waits gets its ordering key, and the key its index, while everybody goes on reading and
 * writing. Not in one transaction, because a million rows would be locked for as long as all of them take, and an index
 * that is made without locking its table cannot be made in one. Where it breaks off it is begun again.
 */
export class Migration20261121001002_ordering_key_filled extends Migration {
  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    // The trigger of the step before does it. Rows that a worker has locked just now are left for another walk.
    this.addSql(`
      do $$
      declare
        blocks bigint;
        block bigint;
      begin
        while exists (select from outbox_message where ordering_key is null) loop
          blocks := pg_relation_size('outbox_message') / current_setting('block_size')::int;
          block := 0;
          while block <= blocks loop
            update outbox_message m set created_at = created_at
            where m.ctid = any (array(
              select o.ctid from outbox_message o
              where o.ctid >= format('(%s,0)', block)::tid and o.ctid < format('(%s,0)', block + ${BLOCKS})::tid
                and o.ordering_key is null
              for update skip locked
            ));
            commit;
            block := block + ${BLOCKS};
          end loop;
        end loop;
      end $$
    `);
    this.addSql('alter table outbox_message drop constraint if exists outbox_message_ordering_key_given');
    this.addSql(`
      alter table outbox_message
        add constraint outbox_message_ordering_key_given check (ordering_key is not null) not valid
    `);
    this.addSql('alter table outbox_message validate constraint outbox_message_ordering_key_given');
    // One that broke off leaves an index that is not valid.
    this.addSql('drop index if exists outbox_message_ordered');
    this.addSql(
      'create unique index concurrently outbox_message_ordered on outbox_message (ordering_key, id)',
    );
  }

  override down(): void {
    this.addSql('drop index outbox_message_ordered');
    this.addSql('alter table outbox_message drop constraint outbox_message_ordering_key_given');
  }
}
