import { Migration } from '@mikro-orm/migrations';

/** How far the records are gone through that were stored before their project named its visitor field (ADR 32). */
export class Migration20261121012500_visitor_indexing extends Migration {
  override up(): void {
    this.addSql(`
      create table visitor_indexing (
        project_id uuid primary key references project (id) on delete cascade,
        -- Records up to this id are gone through.
        after_id uuid not null default '00000000-0000-0000-0000-000000000000',
        asked_at timestamptz not null default clock_timestamp()
      )
    `);
    // Who has named a field already: the message waits for a worker that knows its topic.
    this.addSql(`
      with named as (
        insert into visitor_indexing (project_id) select id from project where visitor_reference_field is not null
        returning project_id
      )
      insert into outbox_message (ordering_key, project_id, topic, subject_id, available_at)
      select outbox_named_key('visitor-index:' || project_id), project_id, 'visitor_index.asked', project_id, now() from named
    `);
  }

  override down(): void {
    this.addSql(`delete from outbox_message where topic = 'visitor_index.asked'`);
    this.addSql('drop table visitor_indexing');
  }
}
