export const visits = [
  // Page visits by hour and one dimension at a time (ADR 39).
  `
    create table site_visit (
      project_id uuid not null references project (id) on delete cascade,
      dimension text not null check (dimension in ('hostname', 'region', 'language', 'device')),
      -- Start of the hour, in UTC.
      at timestamptz not null,
      -- *: unknown, or beyond the limit of names.
      name text not null,
      visits bigint not null,
      -- Visits with a banner on which the visitor made a choice, and those with none.
      chosen bigint not null,
      ignored bigint not null,
      last_seen_at timestamptz not null,
      primary key (project_id, dimension, at, name)
    ) with (fillfactor = 80)
  `,
  // Finds expired rows: rows are stored in the order of their hours.
  'create index site_visit_at on site_visit using brin (at) with (autosummarize = on)',
];
