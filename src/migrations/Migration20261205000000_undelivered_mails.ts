import { Migration } from '@mikro-orm/migrations';

/** When owners were last mailed about records that were not delivered. */
export class Migration20261205000000_undelivered_mails extends Migration {
  override up(): void {
    this.addSql('alter table forwarding_settings add column undelivered_mailed_at timestamptz');
  }
}
