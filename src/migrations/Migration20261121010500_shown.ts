import { Migration } from '@mikro-orm/migrations';

/**
 * What was on the screen when a visitor chose (ADR 37). Columns without a default: nothing is written anew, and the
 * version before this one goes on inserting without them.
 */
export class Migration20261121010500_shown extends Migration {
  override up(): void {
    this.addSql(`
      alter table consent_record
        -- SHA-256 of the published configuration, in hex. null: the banner did not tell, or the record is older.
        add column config_hash text,
        -- BCP 47, as it was sent. null: as above.
        add column language text,
        -- banner, preferences, link, signal or api. null: as above.
        add column surface text
    `);
  }

  override down(): void {
    this.addSql(`
      alter table consent_record drop column config_hash, drop column language, drop column surface
    `);
  }
}
