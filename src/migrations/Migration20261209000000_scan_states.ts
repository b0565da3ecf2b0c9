import { Migration } from '@mikro-orm/migrations';

/** Consent states of scans: each with its pages, what was seen in it, and a screenshot and a HAR of each page. */
export class Migration20261209000000_scan_states extends Migration {
  override up(): void {
    this.addSql(`
      alter table scan
        -- States that the owner left out.
        add column skip_states text[] not null default '{}',
        -- From where and as what the pages were visited; null: unknown.
        add column region text,
        add column language text,
        add column viewport text,
        add column user_agent text
    `);
    this.addSql(`
      alter table scan_item
        add column state text not null default 'before'
          check (state in ('before', 'reject', 'accept', 'withdraw', 'signal')),
        drop constraint scan_item_kind_check,
        add constraint scan_item_kind_check check (
          kind in (
            'cookie', 'local_storage', 'session_storage', 'indexed_db', 'request', 'fingerprint', 'consent_event'
          )
        ),
        drop constraint scan_item_pkey,
        add primary key (project_id, scan_id, state, page, number)
    `);
    this.addSql(`
      create table scan_state (
        project_id uuid not null,
        scan_id uuid not null,
        state text not null check (state in ('before', 'reject', 'accept', 'withdraw', 'signal')),
        status text not null default 'pending'
          check (status in ('pending', 'running', 'tested', 'not_tested', 'skipped')),
        -- Why it was not tested, or not on all pages.
        reason text,
        -- What made the choice: own, heuristic, or autoconsent:<name of the CMP>.
        driver text,
        -- Numbers of the pages that were visited in it.
        pages int[] not null default '{}',
        started_at timestamptz,
        ended_at timestamptz,
        primary key (project_id, scan_id, state),
        foreign key (project_id, scan_id) references scan (project_id, id) on delete cascade
      )
    `);
    this.addSql(`
      create table scan_state_page (
        project_id uuid not null,
        scan_id uuid not null,
        state text not null,
        page int not null,
        status text not null default 'found' check (status in ('found', 'visiting', 'visited', 'failed')),
        -- Visits begun, in the first state with that of the crawl.
        visits smallint not null default 0 check (visits <= 2),
        -- Why it failed.
        reason text,
        primary key (project_id, scan_id, state, page),
        foreign key (project_id, scan_id, state) references scan_state (project_id, scan_id, state)
          on delete cascade,
        foreign key (project_id, scan_id, page) references scan_page (project_id, scan_id, number)
          on delete cascade
      )
    `);
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
    // Visits of a host in all projects together. No project is named, and rows are deleted after a day.
    this.addSql(`
      create table scan_target (
        host text primary key,
        minute_at timestamptz not null,
        minute_pages int not null,
        day_at timestamptz not null,
        day_scans int not null
      )
    `);
  }
}
