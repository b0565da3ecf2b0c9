import { Migration } from '@mikro-orm/migrations';

/** Who made an API key, and what it may do beyond its role (ADR 0014). */
export class Migration20261121000202_key_maker extends Migration {
  override up(): void {
    this.addSql(`
      alter table api_key
        -- null: the service itself made it, or it is older than this column. A key goes with its maker's account.
        add column created_by uuid references app_user (id) on delete cascade,
        add column scopes text[] not null default '{}'
    `);
    this.addSql('create index api_key_created_by on api_key (created_by) where created_by is not null');
    // A project that no person owns is managed by its owner keys, or by nobody.
    this.addSql(`
      update api_key k set scopes = '{manage_access}'
      where role = 'owner' and revoked_at is null and not exists (
        select 1 from project_member m where m.project_id = k.project_id and m.role = 'owner')
    `);
  }

  override down(): void {
    this.addSql('alter table api_key drop column created_by, drop column scopes');
  }
}
