import { Migration } from '@mikro-orm/migrations';

/** Consent states of scans: each with its pages and what was seen in it. */
export class Migration20261209000000_scan_states extends Migration {
  override up(): void {
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
  }
}
