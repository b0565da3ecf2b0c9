import { Migration } from '@mikro-orm/migrations';

/** Scans that visit pages although robots.txt denies them. */
export class Migration20261215000000_scan_robots extends Migration {
  override up(): void {
    this.addSql('alter table scan add column ignore_robots boolean not null default false');
  }
}
