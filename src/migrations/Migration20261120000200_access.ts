import { Migration } from '@mikro-orm/migrations';

/** API keys: shown once, stored as a hash. */
export class Migration20261120000200_access extends Migration {
  override up(): void {
    this.addSql(`
      create table api_key (
        project_id uuid not null references project (id) on delete cascade,
        id uuid not null,
        name text not null,
        role text not null check (role in ('viewer', 'editor', 'owner')),
        -- SHA-256 of the key. A key is 32 random bytes, so a fast hash is enough.
        key_hash bytea not null,
        -- The first characters, to recognise a key in a list.
        prefix text not null,
        created_at timestamptz not null default now(),
        -- null: still good.
        revoked_at timestamptz,
        primary key (project_id, id)
      )
    `);
    this.addSql('create unique index api_key_hash on api_key (key_hash)');
  }

  override down(): void {
    this.addSql('drop table api_key');
  }
}
