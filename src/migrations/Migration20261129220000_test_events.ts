import { Migration } from '@mikro-orm/migrations';

/** Events that `consent trigger` creates: no endpoint gets them. */
export class Migration20261129220000_test_events extends Migration {
  override async up(): Promise<void> {
    this.addSql('alter table event add column test boolean not null default false');
  }
}
