import { Migration } from '@mikro-orm/migrations';

/** Choices by service (ADR 76). Null in every older record, so no row is rewritten. */
export class Migration20261129230000_service_choices extends Migration {
  override async up(): Promise<void> {
    // Whether each service was accepted, by its id; null: the visitor did not choose by service.
    this.addSql('alter table consent_record add column services jsonb');
  }
}
