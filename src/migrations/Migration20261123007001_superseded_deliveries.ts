import { Migration } from '@mikro-orm/migrations';

/**
 * Marks failed attempts that repeat one which had been delivered: the log shows both, and the record stays delivered. A
 * worker of the previous version writes no such mark, and neither needs the column. The default takes no rewrite.
 */
export class Migration20261123007001_superseded_deliveries extends Migration {
  override up(): void {
    this.addSql('alter table delivery add column superseded boolean not null default false');
  }

  override down(): void {
    this.addSql('alter table delivery drop column superseded');
  }
}
