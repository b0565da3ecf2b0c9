import { Migration } from '@mikro-orm/migrations';

/** Logs that continue one that was lost in part, and what a daily check of logs has found (docs/evidence.md). */
export class Migration20261123003003_log_epochs extends Migration {
  override up(): void {
    this.addSql(`
      alter table evidence_log
        -- Number of the log: each that continues another one has the next.
        add column epoch integer not null default 1,
        -- The signed statement that is its first entry; null: it continues none.
        add column continues text,
        -- Why it must not be signed, whatever the storage holds: it is a copy. Null: it is none.
        add column halted text,
        -- A signed checkpoint that was known when it was halted.
        add column halted_head text,
        add column checked_at timestamptz,
        -- What the last check has found, as a sentence; null: nothing is wrong.
        add column problem text
    `);
    // Logs that were continued: they stay as they were signed last.
    this.addSql(`
      create table evidence_past_log (
        log uuid not null,
        epoch integer not null,
        origin text not null,
        checkpoint_size bigint not null,
        checkpoint text not null,
        continues text,
        rooted_size bigint not null,
        rooted_checkpoint text,
        root_index bigint,
        -- Number of the root log that this is an index of.
        root_epoch integer,
        reason text not null,
        ended_at timestamptz not null default now(),
        primary key (log, epoch)
      )
    `);
    this.addSql('alter table evidence_leaf add column epoch integer not null default 1');
    this.addSql(`
      alter table evidence_stamp
        -- Number of the root log that was stamped.
        add column epoch integer not null default 1,
        drop constraint evidence_stamp_pkey,
        add primary key (epoch, size)
    `);
    // The file of the embedded server by which a copy of the data folder is noticed; null: not seen yet, or there is none.
    this.addSql('alter table evidence_mark add column home text');
  }

  override down(): void {
    this.addSql('alter table evidence_mark drop column home');
    this.addSql('delete from evidence_stamp where epoch > 1');
    this.addSql(`
      alter table evidence_stamp drop constraint evidence_stamp_pkey, add primary key (size), drop column epoch
    `);
    this.addSql('alter table evidence_leaf drop column epoch');
    this.addSql('drop table evidence_past_log');
    this.addSql(`
      alter table evidence_log drop column epoch, drop column continues, drop column halted, drop column halted_head,
        drop column checked_at, drop column problem
    `);
  }
}
