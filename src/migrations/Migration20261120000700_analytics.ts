import { Migration } from '@mikro-orm/migrations';

const COUNTS = `
        records bigint not null,
        analytics bigint not null,
        marketing bigint not null,
        preferences bigint not null,
        -- All three categories given, and none.
        full_accept bigint not null,
        rejection bigint not null,
        withdrawal bigint not null`;

/** Counts of consent records by hour and by day, kept up by the worker, so that a year is a few thousand rows. */
export class Migration20261120000700_analytics extends Migration {
  override up(): void {
    for (const interval of ['hour', 'day']) {
      this.addSql(`
        create table consent_rollup_${interval} (
          project_id uuid not null references project (id) on delete cascade,
          -- The start of the ${interval}, in UTC.
          at timestamptz not null,
          action text not null,
          -- Empty where the banner told none.
          hostname text not null,
          ${COUNTS},
          primary key (project_id, at, action, hostname)
        ) with (fillfactor = 80)
      `);
    }
    // One row. Records received before the instant are in the rollups, those from then on are not.
    this.addSql(`
      create table consent_rollup_state (
        singleton boolean primary key default true check (singleton),
        done_until timestamptz not null
      )
    `);
    this.addSql(`insert into consent_rollup_state (done_until) values (date_trunc('hour', now()))`);
    // Records arrive in the order of this column, so a block range index of a few pages finds the newest ones.
    this.addSql(`
      create index consent_record_received_at on consent_record using brin (received_at)
      with (pages_per_range = 16, autosummarize = on)
    `);
  }

  override down(): void {
    this.addSql('drop index consent_record_received_at');
    this.addSql('drop table consent_rollup_state, consent_rollup_day, consent_rollup_hour');
  }
}
