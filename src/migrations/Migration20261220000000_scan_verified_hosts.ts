import { Migration } from '@mikro-orm/migrations';

export class Migration20261220000000_scan_verified_hosts extends Migration {
  override up(): void {
    // Hosts that were active custom domains of the project when the scan was requested.
    this.addSql(`alter table scan add column verified_hosts text[] not null default '{}'`);
  }
}
