import { Migration } from '@mikro-orm/migrations';

/** Who made the former secret of a rotated API key: that secret is revoked when this member is removed. */
export class Migration20261123001001_former_secret extends Migration {
  override up(): void {
    this.addSql(`
      alter table api_key
        -- null: there is no former secret, or nobody knows who made it.
        add column former_created_by uuid references app_user (id) on delete set null
    `);
    this.addSql(
      'create index api_key_former_created_by on api_key (former_created_by) where former_created_by is not null',
    );
    // Of secrets that still work, the audit has the maker: the author of the creation or rotation before the last one.
    this.addSql(`
      update api_key k set former_created_by = (
        select coalesce(u.id, m.created_by)
        from audit_event e
        left join app_user u on e.actor_kind = 'user' and u.id::text = e.actor_id
        left join api_key m on e.actor_kind = 'api_key' and m.id::text = e.actor_id
        where e.project_id = k.project_id and e.target = k.id::text
          and e.action in ('api_key.create', 'api_key.rotate')
        order by e.id desc offset 1 limit 1)
      where k.former_valid_until > now()
    `);
    // Makers who were removed before this version keep no secret.
    this.addSql(`
      update api_key k set former_key_hash = null, former_valid_until = null, former_created_by = null
      where former_created_by is not null and not exists (
        select from project_member m where m.project_id = k.project_id and m.user_id = k.former_created_by)
    `);
  }

  override down(): void {
    this.addSql('alter table api_key drop column former_created_by');
  }
}
