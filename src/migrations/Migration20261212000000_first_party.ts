import { Migration } from '@mikro-orm/migrations';

/** The path proxy of each project: hashes of its secrets, and what was seen of it. */
export class Migration20261212000000_first_party extends Migration {
  override up(): void {
    this.addSql(`
      create table first_party_proxy (
        project_id uuid primary key references project (id) on delete cascade,
        secret_hash bytea,
        secret_created_at timestamptz,
        former_secret_hash bytea,
        former_valid_until timestamptz,
        proven_at timestamptz,
        host text,
        prefix text,
        unproven_at timestamptz,
        constraint first_party_proxy_secret check ((secret_hash is null) = (secret_created_at is null)),
        constraint first_party_proxy_former check (
          (former_secret_hash is null) = (former_valid_until is null)
          and (former_secret_hash is null or secret_hash is not null)
        )
      )
    `);
  }
}
