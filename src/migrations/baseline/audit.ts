/** Months that have a partition from the start: the last one, this one and three ahead. Maintenance creates later ones. */
const MONTHS = [-1, 0, 1, 2, 3];

/** Changes of a project, and each user's security events. Partitioned by month. */
export const audit = [
  `
    create table audit_event (
      -- No foreign key: an event outlives its project. The nil UUID stands for the service as a whole.
      project_id uuid not null,
      id uuid not null,
      actor_kind text not null
        check (actor_kind in ('user', 'api_key', 'operator', 'stripe', 'system', 'visitor')),
      -- Id of a user or key, or an operator's name; null: unknown, or not a person.
      actor_id text,
      -- /24 or /48 of the actor's address; null: there is none.
      network text,
      action text not null,
      -- null: the project as a whole.
      target text,
      before jsonb,
      after jsonb,
      at timestamptz not null default now(),
      primary key (project_id, id)
    ) partition by range (id)
  `,
  `
    create table security_event (
      user_id uuid not null references app_user (id) on delete cascade,
      id uuid not null,
      action text not null,
      -- /24 or /48 of the address of the request; null: there is none.
      network text,
      at timestamptz not null default now(),
      primary key (user_id, id)
    ) partition by range (id)
  `,
  // Also for roles that privileges do not restrict, such as the tables' owner. Dropping a partition fires no trigger.
  `
    create function audit_event_is_final() returns trigger language plpgsql as $$
    begin
      raise exception 'audit events are final' using errcode = 'insufficient_privilege';
    end $$
  `,
  `
    create trigger audit_event_is_final before update or delete on audit_event
    for each row execute function audit_event_is_final()
  `,
  `
    create trigger audit_event_is_whole before truncate on audit_event
    for each statement execute function audit_event_is_final()
  `,
  ...['audit_event', 'security_event'].flatMap((table) =>
    MONTHS.map(
      (month) => `
        select partition_make('${table}',
          (date_trunc('month', now() at time zone 'UTC') + interval '${month} months') at time zone 'UTC')
      `,
    ),
  ),
];
