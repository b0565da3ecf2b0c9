import { Migration } from '@mikro-orm/migrations';

/** Workers that look by themselves say so here, so that nobody rings for them (ADR 26). */
export class Migration20261121004500_outbox_awake extends Migration {
  override up(): void {
    // Written a few times a second and true for a quarter of one: not worth a line of the write-ahead log.
    this.addSql(`
      create unlogged table outbox_awake (
        one boolean primary key default true check (one),
        -- The latest instant until which some worker looks by itself.
        until timestamptz not null
      ) with (fillfactor = 20)
    `);
  }

  override down(): void {
    this.addSql('drop table outbox_awake');
  }
}
