import { Migration } from '@mikro-orm/migrations';

/** Scheduled scans: when each project's next one is due, and which scans a schedule requested. */
export class Migration20261211000000_scan_schedule extends Migration {
  override up(): void {
    this.addSql(`
      alter table scan add column origin text not null default 'manual'
        constraint scan_origin check (origin in ('manual', 'schedule'))
    `);
    this.addSql(`
      create table scan_schedule (
        project_id uuid primary key references project (id) on delete cascade,
        frequency text not null check (frequency in ('weekly', 'monthly')),
        next_at timestamptz not null
      )
    `);
    this.addSql('create index scan_schedule_due on scan_schedule (next_at)');
  }
}
