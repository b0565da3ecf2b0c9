import { Migration } from '@mikro-orm/migrations';

/** What requests to a project's receiver are signed with (Standard Webhooks), and the secret before it. */
export class Migration20261121003000_signing_secret extends Migration {
  override up(): void {
    this.addSql(`
      alter table forwarding_settings
        -- Nonce, tag and ciphertext, as of the bearer token; null where the project has no secret.
        add column signing_ciphertext bytea,
        add column signing_key_id text,
        add column signing_created_at timestamptz,
        -- Signs beside the current one until then; null where there is none.
        add column former_signing_ciphertext bytea,
        add column former_signing_key_id text,
        add column former_signing_until timestamptz
    `);
  }

  override down(): void {
    this.addSql(`
      alter table forwarding_settings
        drop column signing_ciphertext, drop column signing_key_id, drop column signing_created_at,
        drop column former_signing_ciphertext, drop column former_signing_key_id, drop column former_signing_until
    `);
  }
}
