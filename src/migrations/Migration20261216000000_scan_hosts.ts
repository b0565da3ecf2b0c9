import { Migration } from '@mikro-orm/migrations';

/** What all scans together do to a host, whichever project requested them. */
export class Migration20261216000000_scan_hosts extends Migration {
  override up(): void {
    this.addSql(`
      create table scan_host (
        -- With port, unless it is the scheme's.
        host text primary key,
        -- When a scanner may load its next page.
        next_page_at timestamptz not null default now()
      )
    `);
    // Without a foreign key to the scan: a project that is deleted does not free its host.
    this.addSql(`
      create table scan_host_scan (
        host text not null references scan_host (host) on delete cascade,
        scan_id uuid not null,
        at timestamptz not null default now(),
        primary key (host, scan_id)
      )
    `);
  }
}
