import { Migration } from '@mikro-orm/migrations';

/** Records that the version before has not sequenced have no transaction: their ids are at most so old. */
const ID_AGE = '8 days';

/**
 * The transaction that stored a record or an erasure, by which they are sequenced: unlike the clock it cannot go back
 * (docs/evidence.md). Rows that exist keep null, so nothing is rewritten; the version before inserts with the default.
 */
export class Migration20261123003001_stored_xid extends Migration {
  override up(): void {
    for (const table of ['consent_record', 'erased_record']) {
      this.addSql(`alter table ${table} add column stored_xid bigint`);
      this.addSql(
        `alter table ${table} alter column stored_xid set default pg_current_xact_id()::text::bigint`,
      );
    }
    this.addSql(`
      alter table evidence_mark
        -- Everything that earlier transactions stored is sequenced, and of this one what is not behind the rest.
        add column after_xid bigint,
        add column after_project_id uuid not null default '00000000-0000-0000-0000-000000000000',
        add column after_id uuid not null default '00000000-0000-0000-0000-000000000000',
        add column after_is_erasure boolean not null default false,
        -- Server whose transactions these are (pg_control_system); null: not known yet.
        add column cluster text,
        -- What was received before is not sealed.
        add column begins_at timestamptz not null default now()
    `);
    // Projects whose records behind an id are looked through for those that have no place.
    this.addSql(`
      create table evidence_backfill (
        project_id uuid primary key references project (id) on delete cascade,
        after_id uuid not null default '00000000-0000-0000-0000-000000000000'
      )
    `);
    // The table's lock is held, so a transaction that inserts from now on is in progress or begins later.
    this.addSql(`
      update evidence_mark set
        after_xid = pg_snapshot_xmin(pg_current_snapshot())::text::bigint,
        begins_at = least(at, coalesce(
          (select min(executed_at) from schema_migration where name = 'Migration20261121013000_evidence'), at))
    `);
    this.addSql('alter table evidence_mark alter column after_xid set not null');
    this.addSql(`
      insert into evidence_backfill (project_id, after_id)
      select p.id, partition_bound((m.at - interval '${ID_AGE}') at time zone 'UTC') from project p, evidence_mark m
    `);
  }

  override down(): void {
    this.addSql('drop table evidence_backfill');
    this.addSql(`
      alter table evidence_mark drop column after_xid, drop column after_project_id, drop column after_id,
        drop column after_is_erasure, drop column cluster, drop column begins_at
    `);
    for (const table of ['consent_record', 'erased_record'])
      this.addSql(`alter table ${table} drop column stored_xid`);
  }
}
