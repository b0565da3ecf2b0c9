import { Migration } from '@mikro-orm/migrations';

/**
 * Who decides about a project's records, as receipts and the banner name it. Columns without a default: nothing is
 * rewritten, and the version before this one continues to insert without them.
 */
export class Migration20261123004001_controller extends Migration {
  override up(): void {
    this.addSql('alter table project add column controller_name text, add column controller_contact text');
  }

  override down(): void {
    this.addSql('alter table project drop column controller_name, drop column controller_contact');
  }
}
