import { Migration } from '@mikro-orm/migrations';

/** Links that change the address of an account, and the last use of sessions. */
export class Migration20261121011000_own_account extends Migration {
  override up(): void {
    this.addSql('alter table account_link drop constraint account_link_kind_check');
    this.addSql(`
      alter table account_link add constraint account_link_kind_check
        check (kind in ('sign_up', 'reset_password', 'change_email'))
    `);
    // null: not since this column came. The default is of sessions that are opened from now on.
    this.addSql('alter table user_session add column last_used_at timestamptz');
    this.addSql('alter table user_session alter column last_used_at set default now()');
  }

  override down(): void {
    this.addSql('alter table user_session drop column last_used_at');
    this.addSql("delete from account_link where kind = 'change_email'");
    this.addSql('alter table account_link drop constraint account_link_kind_check');
    this.addSql(`
      alter table account_link add constraint account_link_kind_check
        check (kind in ('sign_up', 'reset_password'))
    `);
  }
}
