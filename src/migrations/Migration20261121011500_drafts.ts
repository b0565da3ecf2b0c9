import { Migration } from '@mikro-orm/migrations';

/**
 * Drafts of a configuration, and who published what with which comment, from when on. No row is written anew, and the
 * version before this one goes on saving and publishing: its saves have no note, its publications no author.
 */
export class Migration20261121011500_drafts extends Migration {
  override up(): void {
    this.addSql(`
      create table configuration_draft (
        project_id uuid primary key references project (id) on delete cascade,
        -- Counts the saves of the draft and its ends; it is its entity tag.
        version bigint not null check (version > 0),
        -- null: the draft was published or thrown away.
        configuration jsonb,
        -- The version of the configuration that the draft began with.
        based_on bigint not null,
        updated_at timestamptz not null default now()
      )
    `);
    this.addSql(`
      alter table site_configuration
        -- Who made the save that it names by its version, and with which comment; null, or of an older save: not known.
        add column note jsonb
    `);
    this.addSql(`
      alter table publication
        -- What the author said about it. null: nothing, or the configuration was there before.
        add column comment text,
        -- Who saved the configuration, as in the audit. null: as above, or an older version has published it.
        add column author_kind text,
        add column author_id text,
        -- Since when visitors are shown it; the same published once more does not move it. null: since \`at\`.
        add column in_force_from timestamptz
    `);
    // Of rows to come alone: those that are there keep null, for their beginning is not known.
    this.addSql('alter table publication alter column in_force_from set default now()');
  }

  override down(): void {
    this.addSql(`
      alter table publication
        drop column comment, drop column author_kind, drop column author_id, drop column in_force_from
    `);
    this.addSql('alter table site_configuration drop column note');
    this.addSql('drop table configuration_draft');
  }
}
