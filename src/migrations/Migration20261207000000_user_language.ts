import { Migration } from '@mikro-orm/migrations';

/** The language of a user's mails. */
export class Migration20261207000000_user_language extends Migration {
  override up(): void {
    // null: not known until the next sign-in.
    this.addSql('alter table app_user add column language text');
  }
}
