export const publishing = [
  `
    create table site_configuration (
      project_id uuid primary key references project (id) on delete cascade,
      -- Number of saves; the configuration's entity tag.
      version bigint not null check (version > 0),
      -- As saved, region rules that the tier no longer allows included.
      configuration jsonb not null,
      -- Author and comment of the save that it names by version; null or of another save: unknown.
      note jsonb,
      updated_at timestamptz not null default now()
    )
  `,
  `
    create table configuration_draft (
      project_id uuid primary key references project (id) on delete cascade,
      -- Number of saves and deletions; the draft's entity tag.
      version bigint not null check (version > 0),
      -- null: the draft was published or discarded.
      configuration jsonb,
      -- Version of the configuration that the draft started from.
      based_on bigint not null,
      updated_at timestamptz not null default now()
    )
  `,
  `
    create table publication (
      project_id uuid not null references project (id) on delete cascade,
      -- Number of the project's publications.
      version bigint not null,
      -- The published save; 0: nothing was saved, the default was published.
      configuration_version bigint not null,
      -- The configuration as it was saved, to roll back to.
      configuration jsonb not null,
      tier text not null,
      -- SHA-256 of the document, in hex; names the immutable object.
      content_hash text not null,
      -- Whether the tier excluded region rules.
      region_rules_left_out boolean not null,
      -- The author's comment; null: none.
      comment text,
      -- Who saved the configuration, as in the audit log; null: unknown.
      author_kind text,
      author_id text,
      -- Since when visitors see it; publishing the same document again does not change it.
      in_force_from timestamptz not null default now(),
      -- When it was last written to storage.
      at timestamptz not null default now(),
      primary key (project_id, version)
    )
  `,
];
