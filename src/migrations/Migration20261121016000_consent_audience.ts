import { Migration } from '@mikro-orm/migrations';

/**
 * Counts of consent records by region and by language (ADR 12), in a table of their own with a mark of their own: a
 * worker of the version before goes on moving `done_until` and counting by action and host name alone.
 */
export class Migration20261121016000_consent_audience extends Migration {
  override up(): void {
    this.addSql(`
      create table consent_rollup_audience (
        project_id uuid not null references project (id) on delete cascade,
        -- How long the interval is.
        span text not null check (span in ('hour', 'day')),
        -- Its start, in UTC.
        at timestamptz not null,
        dimension text not null check (dimension in ('region', 'language')),
        -- Empty where the record tells none; *: what it tells is no such name, or is one of too many.
        name text not null,
        records bigint not null,
        analytics bigint not null,
        marketing bigint not null,
        preferences bigint not null,
        full_accept bigint not null,
        rejection bigint not null,
        withdrawal bigint not null,
        primary key (project_id, span, at, dimension, name)
      ) with (fillfactor = 80)
    `);
    // Of the records before done_until, those from this instant on are not in the table yet.
    this.addSql('alter table consent_rollup_state add column audience_until timestamptz');
    // Where the counts by action and host name begin: one look into the primary key for each project.
    this.addSql(`
      update consent_rollup_state set audience_until = least(done_until, (
        select min(counted.at) from project p cross join lateral (
          select r.at from consent_rollup_hour r where r.project_id = p.id order by r.at limit 1
        ) counted
      ))
    `);
    this.addSql('alter table consent_rollup_state alter column audience_until set not null');
  }

  override down(): void {
    this.addSql('alter table consent_rollup_state drop column audience_until');
    this.addSql('drop table consent_rollup_audience');
  }
}
