import { Migration } from '@mikro-orm/migrations';

/** API keys that say when they were last used, that end, that may less than their role, and that are changed for others. */
export class Migration20261121005501_key_limits extends Migration {
  override up(): void {
    this.addSql(`
      alter table api_key
        -- UTC; null: never, or not since this column came.
        add column last_used_on date,
        -- null: it does not end by itself.
        add column expires_at timestamptz,
        -- Areas below its role; null: all that the role may.
        add column limited_to text[],
        -- SHA-256 of the key before this one, good until then; null where there is none.
        add column former_key_hash bytea,
        add column former_valid_until timestamptz
    `);
    this.addSql('create unique index api_key_former_hash on api_key (former_key_hash)');
  }

  override down(): void {
    this.addSql(`
      alter table api_key drop column last_used_on, drop column expires_at, drop column limited_to,
        drop column former_key_hash, drop column former_valid_until
    `);
  }
}
