import { Migration } from '@mikro-orm/migrations';

/** What a project publishes for its site, and what it has published. */
export class Migration20261120000800_publishing extends Migration {
  override up(): void {
    this.addSql(`
      create table site_configuration (
        project_id uuid primary key references project (id) on delete cascade,
        -- Counts the saves; it is the entity tag of the configuration.
        version bigint not null check (version > 0),
        -- As it was saved, region rules that the tier no longer allows included.
        configuration jsonb not null,
        updated_at timestamptz not null default now()
      )
    `);
    this.addSql(`
      create table publication (
        project_id uuid not null references project (id) on delete cascade,
        -- Counts the publications of the project.
        version bigint not null,
        -- The save that was published; 0: nothing was ever saved, and the default was.
        configuration_version bigint not null,
        -- The configuration as it was saved then, to go back to.
        configuration jsonb not null,
        tier text not null,
        -- SHA-256 of the document, in hex; names the immutable object.
        content_hash text not null,
        -- Whether region rules were left out because of the tier.
        region_rules_left_out boolean not null,
        -- When it was last written to storage.
        at timestamptz not null default now(),
        primary key (project_id, version)
      )
    `);
    // What waits to be published is counted without reading the consents that wait beside it.
    this.addSql(`
      create index outbox_message_publishing on outbox_message (created_at)
      where topic in ('configuration.changed', 'tier.changed')
    `);
  }

  override down(): void {
    this.addSql('drop index outbox_message_publishing');
    this.addSql('drop table publication, site_configuration');
  }
}
