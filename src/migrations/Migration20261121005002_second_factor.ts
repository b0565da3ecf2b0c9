import { Migration } from '@mikro-orm/migrations';

/** Second factors, in the shape that better-auth asks for, and the projects that want their members to have one. */
export class Migration20261121005002_second_factor extends Migration {
  override up(): void {
    this.addSql('alter table app_user add column two_factor_enabled boolean not null default false');
    this.addSql(`
      create table user_second_factor (
        id uuid primary key,
        user_id uuid not null unique references app_user (id) on delete cascade,
        -- Both encrypted with AUTH_SECRET.
        secret text not null,
        backup_codes text not null,
        -- false: set up, and no code of it was shown yet.
        verified boolean not null default false,
        failed_verification_count integer not null default 0,
        locked_until timestamptz
      )
    `);
    this.addSql(`
      create table project_sign_in_policy (
        project_id uuid primary key references project (id) on delete cascade,
        second_factor_required boolean not null
      )
    `);
  }

  override down(): void {
    this.addSql('drop table project_sign_in_policy, user_second_factor');
    this.addSql('alter table app_user drop column two_factor_enabled');
  }
}
