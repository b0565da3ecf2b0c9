import { Migration } from '@mikro-orm/migrations';

/** The beginning of the response body of failed attempts, where the owner turned it on. */
export class Migration20261206000000_response_bodies extends Migration {
  override up(): void {
    this.addSql(
      'alter table forwarding_settings add column keep_response_bodies boolean not null default false',
    );
    // null: none was stored. Only failed attempts have one. Columns without a default rewrite no partition.
    this.addSql('alter table delivery add column response_body text');
  }
}
