import { Migration } from '@mikro-orm/migrations';

/** Progress of the daily comparison of records with their log (docs/evidence.md). */
export class Migration20261123012001_log_checks extends Migration {
  override up(): void {
    // A log that was never checked counts from its start, or from this migration.
    this.addSql(`
      alter table evidence_log
        -- The consent id up to which the check in progress has come; null: none is in progress.
        add column check_after uuid,
        alter column checked_at set default now()
    `);
    this.addSql('update evidence_log set checked_at = now() where checked_at is null');
    this.addSql('alter table evidence_log alter column checked_at set not null');
  }

  override down(): void {
    this.addSql(`
      alter table evidence_log drop column check_after,
        alter column checked_at drop not null, alter column checked_at drop default
    `);
  }
}
