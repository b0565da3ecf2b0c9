import { Migration } from '@mikro-orm/migrations';

/** Time-stamps of the root log's checkpoints by another clock than ours (docs/evidence.md, ADR 0047). */
export class Migration20261121015000_evidence_stamp extends Migration {
  override async up(): Promise<void> {
    this.addSql(`
      create table evidence_stamp (
        -- Entries that the stamped checkpoint covers; the storage has both under this number.
        size bigint primary key,
        -- By the clock of the time-stamp service.
        stamped_at timestamptz not null,
        written_at timestamptz not null default now()
      )
    `);
  }

  override async down(): Promise<void> {
    this.addSql(`delete from outbox_message where topic = 'stamp.due'`);
    this.addSql('drop table evidence_stamp');
  }
}
