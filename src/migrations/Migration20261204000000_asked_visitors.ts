import { Migration } from '@mikro-orm/migrations';

/** Counts of the visitors who were asked: dismissed notices and signals of the browser (GPC) are no answers. */
export class Migration20261204000000_asked_visitors extends Migration {
  override up(): void {
    for (const table of ['hour', 'day', 'audience'])
      this.addSql(`alter table consent_rollup_${table} add column asked bigint not null default 0`);
    // What was counted before is known by its action alone, and by region and language not even that.
    for (const table of ['hour', 'day']) {
      this.addSql(`update consent_rollup_${table} set asked = records where action <> 'dismiss'`);
      this.addSql(`
        update consent_rollup_${table}
        set analytics = 0, marketing = 0, preferences = 0, full_accept = 0, rejection = 0
        where action = 'dismiss'
      `);
    }
    this.addSql('update consent_rollup_audience set asked = records');
  }
}
