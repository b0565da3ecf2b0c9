import { Migration } from '@mikro-orm/migrations';

/** Counts for the result of a scan, and the states in which each item was seen. */
export class Migration20261129120000_scan_results extends Migration {
  override async up(): Promise<void> {
    // Cookies and entries without a finding, and those that were seen in a state; null: the scan is not evaluated.
    this.addSql('alter table scan add column declared_items int');
    this.addSql('alter table scan_state add column items int');
    this.addSql(`alter table scan_finding add column seen_in text[] not null default '{}'`);
    this.addSql(`alter table scan_finding_seen add column seen_in text[] not null default '{}'`);
  }
}
