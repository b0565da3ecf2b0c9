import { Migration } from '@mikro-orm/migrations';

/** Scans of projects' sites: what was requested, the pages of each, and what was seen on them. */
export class Migration20261208000000_scans extends Migration {
  override up(): void {
    this.addSql(`
      create table scan (
        project_id uuid not null references project (id) on delete cascade,
        id uuid not null,
        status text not null default 'queued'
          check (status in ('queued', 'running', 'completed', 'partial', 'failed', 'canceled')),
        -- Start addresses, and the domains whose hosts are in its scope.
        urls text[] not null,
        domains text[] not null,
        pages_max int not null check (pages_max > 0),
        -- Why it ended without a complete result.
        reason text,
        -- Which browser visited the pages, e.g. Chromium 141.0.7390.54.
        browser text,
        -- Downloads, popups and dialogs that the scanner refused.
        refused_downloads int not null default 0,
        refused_popups int not null default 0,
        refused_dialogs int not null default 0,
        -- The lease of the scanner that works on it.
        claim_id uuid,
        leased_until timestamptz,
        created_at timestamptz not null default now(),
        started_at timestamptz,
        ended_at timestamptz,
        primary key (project_id, id)
      )
    `);
    // One at a time for each project.
    this.addSql(`create unique index scan_active on scan (project_id) where status in ('queued', 'running')`);
    // Finds the next scan to claim.
    this.addSql(`create index scan_due on scan (created_at, id) where status in ('queued', 'running')`);
    this.addSql(`
      create table scan_page (
        project_id uuid not null,
        scan_id uuid not null,
        number int not null,
        url text not null,
        -- With port.
        host text not null,
        -- Links between it and a start address.
        depth int not null,
        status text not null default 'found'
          check (status in ('found', 'visiting', 'visited', 'failed', 'skipped')),
        -- Visits begun; a second one follows a scanner that stopped.
        visits smallint not null default 0 check (visits <= 2),
        -- Why it failed or was skipped.
        reason text,
        http_status int,
        -- Where redirects led; null: nowhere else.
        final_url text,
        -- Whether the project's loader was on it.
        loader_found boolean not null default false,
        duration_ms int,
        visited_at timestamptz,
        primary key (project_id, scan_id, number),
        foreign key (project_id, scan_id) references scan (project_id, id) on delete cascade
      )
    `);
    this.addSql('create unique index scan_page_url on scan_page (project_id, scan_id, url)');
    // Whether a host is verified, and how many of its pages were visited today.
    this.addSql(
      'create index scan_page_host on scan_page (project_id, host, visited_at) where visited_at is not null',
    );
    this.addSql(`
      create table scan_item (
        project_id uuid not null,
        scan_id uuid not null,
        page int not null,
        number int not null,
        kind text not null check (kind in ('cookie', 'local_storage', 'session_storage', 'request')),
        -- Name of the cookie or entry; path of the request, with the names of its query.
        name text not null,
        -- Of the cookie's domain, the entry's origin or the request.
        host text not null,
        third_party boolean not null,
        -- By kind (src/scans/domain/observation.ts); values are masked.
        details jsonb not null,
        primary key (project_id, scan_id, page, number),
        foreign key (project_id, scan_id) references scan (project_id, id) on delete cascade
      )
    `);
    // Scanners that are running, so that the API can refuse a scan that nothing would work on.
    this.addSql(`
      create table scanner (
        id uuid primary key,
        browser text not null,
        seen_at timestamptz not null default now()
      )
    `);
  }
}
