import { Migration } from '@mikro-orm/migrations';

/** Scans in the projects' logs: an entry of the log has a commitment alone; body and salt belong to the scan. */
export class Migration20261213000000_scan_proofs extends Migration {
  override up(): void {
    this.addSql(`
      create table evidence_entry (
        project_id uuid not null references project (id) on delete cascade,
        id uuid not null,
        -- SHA-256 over the salt and the canonical body.
        commitment bytea not null check (octet_length(commitment) = 32),
        stored_at timestamptz not null default now(),
        -- Epoch of the log that contains it, and its index there; null: not sequenced yet.
        epoch int,
        leaf_index bigint,
        primary key (project_id, id)
      )
    `);
    this.addSql('create index evidence_entry_due on evidence_entry (stored_at, id) where leaf_index is null');
    // What ended before has no entry.
    this.addSql(
      'alter table sequencer_cursor add column entries_begin_at timestamptz not null default now()',
    );
    // From where it was scanned, as the scanner's operator names it; null: unknown.
    this.addSql('alter table scan add column region text');
    this.addSql(`
      create table scan_proof (
        project_id uuid not null,
        scan_id uuid not null,
        -- Canonical JSON (RFC 8785).
        body text not null,
        salt bytea not null check (octet_length(salt) = 32),
        primary key (project_id, scan_id),
        foreign key (project_id, scan_id) references scan (project_id, id) on delete cascade
      )
    `);
  }
}
