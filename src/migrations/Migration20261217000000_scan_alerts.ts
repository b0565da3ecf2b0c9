import { Migration } from '@mikro-orm/migrations';

/** Mails about what scans found: whether a scan's were sent, and which members want them. */
export class Migration20261217000000_scan_alerts extends Migration {
  override up(): void {
    this.addSql('alter table scan add column alerted_at timestamptz');
    this.addSql(`
      create table scan_alert_choice (
        project_id uuid not null,
        user_id uuid not null,
        enabled boolean not null,
        primary key (project_id, user_id),
        foreign key (project_id, user_id) references project_member (project_id, user_id) on delete cascade
      )
    `);
  }
}
