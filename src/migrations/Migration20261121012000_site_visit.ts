import { Migration } from '@mikro-orm/migrations';

/** Page visits, counted by hour and by one thing that is known of them at a time (ADR 39). */
export class Migration20261121012000_site_visit extends Migration {
  override up(): void {
    this.addSql(`
      create table site_visit (
        project_id uuid not null references project (id) on delete cascade,
        dimension text not null check (dimension in ('hostname', 'region', 'language', 'device')),
        -- The begin of the hour, in UTC.
        at timestamptz not null,
        -- *: unknown, or one of too many.
        name text not null,
        visits bigint not null,
        -- Of the visits: with a banner on which the visitor decided, and with one on which she did not.
        chosen bigint not null,
        ignored bigint not null,
        last_seen_at timestamptz not null,
        primary key (project_id, dimension, at, name)
      ) with (fillfactor = 80)
    `);
    // For those that are too old: rows lie in the order of their hours.
    this.addSql('create index site_visit_at on site_visit using brin (at) with (autosummarize = on)');
  }

  override down(): void {
    this.addSql('drop table site_visit');
  }
}
