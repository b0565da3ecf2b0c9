import { Migration } from '@mikro-orm/migrations';

/**
 * Messages are claimed by an ordering key of their own, and no longer by their project (ADR 0021), which becomes what
 * it says. The first of three steps: the column, and a trigger that fills it for processes of the version before, which
 * go on writing messages without it while this one is rolled out. The next release drops the trigger.
 */
export class Migration20261121001001_ordering_key extends Migration {
  override up(): void {
    // As `namedKey` in outbox/domain/ordering-key.ts: the first 128 bits of the SHA-256, as a UUID of version 8.
    this.addSql(`
      create function outbox_named_key(name text) returns uuid language sql immutable parallel safe as $$
        select overlay(overlay(hex placing '8' from 13 for 1)
                       placing substr('89ab', 1 + (('x' || substr(hex, 17, 1))::bit(4)::int & 3), 1) from 17 for 1)::uuid
        from (select left(encode(sha256(convert_to(name, 'UTF8')), 'hex'), 32) as hex) as digest
      $$
    `);
    // What older versions publish stood under a UUID made from the project's, in place of the project.
    this.addSql(`
      create function outbox_fill_ordering_key() returns trigger language plpgsql as $$
      begin
        if new.topic in ('configuration.changed', 'tier.changed') then
          new.project_id := new.subject_id;
          new.ordering_key := outbox_named_key('publishing:' || new.subject_id);
        else
          new.ordering_key := new.project_id;
        end if;
        return new;
      end $$
    `);
    for (const table of ['outbox_message', 'outbox_dead_letter']) {
      this.addSql(`alter table ${table} add column ordering_key uuid`);
      // Also before an update: a row that an older worker claims while the next step fills the others is filled then.
      this.addSql(`
        create trigger ${table}_ordering_key before insert or update on ${table}
        for each row when (new.ordering_key is null) execute function outbox_fill_ordering_key()
      `);
    }
    // Dead letters are few.
    this.addSql('update outbox_dead_letter set died_at = died_at');
    this.addSql(`
      alter table outbox_dead_letter
        drop constraint outbox_dead_letter_pkey, add primary key (ordering_key, id),
        alter column project_id drop not null
    `);
  }

  override down(): void {
    this.addSql('delete from outbox_dead_letter where project_id is null');
    this.addSql(
      'alter table outbox_dead_letter drop constraint outbox_dead_letter_pkey, add primary key (project_id, id)',
    );
    for (const table of ['outbox_message', 'outbox_dead_letter']) {
      this.addSql(`drop trigger ${table}_ordering_key on ${table}`);
      this.addSql(`alter table ${table} drop column ordering_key`);
    }
    this.addSql('drop function outbox_fill_ordering_key, outbox_named_key');
  }
}
