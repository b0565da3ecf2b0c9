import { Migration } from '@mikro-orm/migrations';

/** Erasures that visitors made with their keys, counted by the hour: beyond a bound the audit log gets one event an hour. */
export class Migration20261123007002_visitor_erasure_hour extends Migration {
  override up(): void {
    this.addSql(`
      create table visitor_erasure_hour (
        project_id uuid not null references project (id) on delete cascade,
        -- The begin of the hour, in UTC.
        at timestamptz not null,
        erasures int not null,
        primary key (project_id, at)
      )
    `);
  }

  override down(): void {
    this.addSql('drop table visitor_erasure_hour');
  }
}
