import { Migration } from '@mikro-orm/migrations';

/** States that a scan leaves out, and how often each was begun. */
export class Migration20261214000000_scan_choices extends Migration {
  override up(): void {
    this.addSql(`
      alter table scan add column skipped_states text[] not null default '{}'
        constraint scan_skipped_states check (skipped_states <@ '{reject,accept,withdraw,signal}'::text[])
    `);
    // The third attempt is noted, but not begun.
    this.addSql(`
      alter table scan_state add column attempts smallint not null default 0
        constraint scan_state_attempts check (attempts <= 3)
    `);
  }
}
