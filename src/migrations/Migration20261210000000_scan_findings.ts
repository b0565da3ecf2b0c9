import { Migration } from '@mikro-orm/migrations';

const KINDS = `('cookie', 'local_storage', 'session_storage', 'indexed_db', 'request', 'fingerprint')`;
const STATES = `('before', 'reject', 'accept', 'withdraw', 'signal')`;
const CATEGORIES = `('necessary', 'preferences', 'analytics', 'marketing')`;
const CERTAINTIES = `('settled', 'arguable', 'open')`;

/** What scans mean: the items of a site over time, the owner's decisions on them, and findings with their life. */
export class Migration20261210000000_scan_findings extends Migration {
  override up(): void {
    this.addSql(`
      create table site_item (
        project_id uuid not null references project (id) on delete cascade,
        -- Of kind, name and host, the same in each project.
        id uuid not null,
        kind text not null check (kind in ${KINDS}),
        -- Ids in it are *; empty: a request.
        name text not null,
        -- The site that stores it, or the host that is requested.
        host text not null,
        third_party boolean not null,
        -- Host and path of what caused it.
        initiators text[] not null,
        -- Longest time until a cookie expires; null: with the session, or not a cookie.
        lifetime_seconds float8,
        -- Where the last scan that saw it did so: states, and addresses of some pages.
        states text[] not null,
        page_urls text[] not null,
        last_scan_id uuid not null,
        first_seen_at timestamptz not null,
        last_seen_at timestamptz not null,
        primary key (project_id, id)
      )
    `);
    this.addSql(`
      create table cookie_decision (
        project_id uuid not null references project (id) on delete cascade,
        -- As in site_item.
        id uuid not null,
        kind text not null check (kind in ${KINDS}),
        name text not null,
        host text not null,
        category text not null check (category in ${CATEGORIES}),
        purpose text,
        provider text,
        -- In words.
        duration text,
        -- As in the audit log.
        decided_by_kind text not null,
        decided_by_id text,
        decided_at timestamptz not null default now(),
        primary key (project_id, id)
      )
    `);
    this.addSql(`
      create table scan_finding (
        project_id uuid not null references project (id) on delete cascade,
        -- Of kind and item, the same in each scan.
        id uuid not null,
        kind text not null,
        item_kind text check (item_kind in ${KINDS}),
        name text not null,
        host text not null,
        -- As the last scan saw it.
        certainty text not null check (certainty in ${CERTAINTIES}),
        state text not null check (state in ${STATES}),
        page_urls text[] not null,
        initiator text,
        category text check (category in ${CATEGORIES}),
        service text,
        lifetime_seconds float8,
        declared text,
        status text not null check (status in ('new', 'open', 'fixed', 'accepted')),
        -- Scans in a row that tested its state and page without seeing it.
        misses int not null,
        first_scan_id uuid not null,
        -- The last scan that saw it, and the last one that was counted.
        last_scan_id uuid not null,
        counted_scan_id uuid not null,
        first_seen_at timestamptz not null,
        last_seen_at timestamptz not null,
        accepted_reason text,
        accepted_by_kind text,
        accepted_by_id text,
        accepted_at timestamptz,
        primary key (project_id, id)
      )
    `);
    this.addSql(`
      create table scan_finding_seen (
        project_id uuid not null,
        scan_id uuid not null,
        finding_id uuid not null,
        certainty text not null check (certainty in ${CERTAINTIES}),
        state text not null check (state in ${STATES}),
        -- Numbers of the scan's pages.
        pages int[] not null,
        initiator text,
        category text check (category in ${CATEGORIES}),
        service text,
        lifetime_seconds float8,
        declared text,
        primary key (project_id, scan_id, finding_id),
        foreign key (project_id, scan_id) references scan (project_id, id) on delete cascade,
        foreign key (project_id, finding_id) references scan_finding (project_id, id) on delete cascade
      )
    `);
    // For the foreign key: old findings are deleted.
    this.addSql('create index scan_finding_seen_finding on scan_finding_seen (project_id, finding_id)');
  }
}
