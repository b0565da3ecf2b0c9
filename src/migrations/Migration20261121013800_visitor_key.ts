import { Migration } from '@mikro-orm/migrations';

const KINDS = ['user', 'api_key', 'operator', 'stripe', 'system'];

/**
 * What a visitor's own key finds (ADR 43). Columns without a default: nothing is written anew, and the version before
 * this one goes on inserting without them.
 */
export class Migration20261121013800_visitor_key extends Migration {
  override up(): void {
    this.addSql(`
      alter table consent_record
        -- When the visitor's key was made, and its SHA-256. null: her banner has none, or the record is older.
        add column visitor_key_hash bytea
    `);
    this.addSql(`
      alter table erasure_request
        -- As above, where a key's records are erased; null once nothing is left to do.
        add column visitor_key_hash bytea
    `);
    this.addSql(actorKinds([...KINDS, 'visitor']));
  }

  override down(): void {
    this.addSql('alter table erasure_request drop column visitor_key_hash');
    this.addSql('alter table consent_record drop column visitor_key_hash');
    this.addSql(actorKinds(KINDS));
  }
}

/** Whose changes the audit takes. Its rows are few enough to be held against the list at once. */
function actorKinds(kinds: string[]): string {
  return `
    alter table audit_event drop constraint audit_event_actor_kind_check,
      add constraint audit_event_actor_kind_check check (actor_kind in (${kinds.map((kind) => `'${kind}'`).join(', ')}))
  `;
}
