import { Migration } from '@mikro-orm/migrations';

/** Screenshots and HARs of scans. */
export class Migration20261212000000_scan_artifacts extends Migration {
  override up(): void {
    this.addSql(`
      create table scan_artifact (
        project_id uuid not null,
        scan_id uuid not null,
        state text not null check (state in ('before', 'reject', 'accept', 'withdraw', 'signal')),
        page int not null,
        kind text not null check (kind in ('screenshot', 'har')),
        -- Of the content.
        sha256 bytea not null,
        bytes int not null,
        -- A JPEG, or gzipped JSON; null: deleted after SCAN_RETENTION_DAYS.
        content bytea,
        created_at timestamptz not null default now(),
        primary key (project_id, scan_id, state, page, kind),
        foreign key (project_id, scan_id) references scan (project_id, id) on delete cascade
      )
    `);
    // Both are compressed already.
    this.addSql('alter table scan_artifact alter column content set storage external');
    this.addSql('create index scan_artifact_stored on scan_artifact (created_at) where content is not null');
    // Finds results that are older than they are kept.
    this.addSql('create index scan_ended on scan (ended_at) where ended_at is not null');
  }
}
