const KINDS = `('cookie', 'local_storage', 'session_storage', 'indexed_db', 'request', 'fingerprint')`;
const STATES = `('before', 'reject', 'accept', 'withdraw', 'signal')`;
const CATEGORIES = `('necessary', 'preferences', 'analytics', 'marketing')`;
const CERTAINTIES = `('settled', 'arguable', 'open')`;

/** Scans of websites and their findings. `security` as in outbox.ts. */
export const scans = (security: string): string[] => [
  `
    create table scan (
      project_id uuid not null references project (id) on delete cascade,
      id uuid not null,
      -- The project's longest-standing owner when it was requested; null: none, the project is its own account.
      account_id uuid,
      origin text not null default 'manual' constraint scan_origin check (origin in ('manual', 'schedule')),
      status text not null default 'queued'
        check (status in ('queued', 'running', 'completed', 'partial', 'failed', 'canceled')),
      -- Start addresses, and the domains whose hosts are in its scope.
      urls text[] not null,
      domains text[] not null,
      -- Hosts that were active custom domains of the project when the scan was requested.
      verified_hosts text[] not null default '{}',
      pages_max int not null check (pages_max > 0),
      skipped_states text[] not null default '{}'
        constraint scan_skipped_states check (skipped_states <@ '{reject,accept,withdraw,signal}'::text[]),
      -- Whether it visits pages although robots.txt denies them.
      ignore_robots boolean not null default false,
      -- Why it ended without a complete result.
      reason text,
      -- Which browser visited the pages, e.g. Chromium 141.0.7390.54.
      browser text,
      -- From where it was scanned, as the scanner's operator names it; null: unknown.
      region text,
      -- Downloads, popups and dialogs that the scanner refused.
      refused_downloads int not null default 0,
      refused_popups int not null default 0,
      refused_dialogs int not null default 0,
      -- The lease of the scanner that works on it, and when a scanner last claimed it.
      claim_id uuid,
      leased_until timestamptz,
      claimed_at timestamptz,
      -- Scanners that left it without returning it: their processes ended, or lost the database for long.
      interruptions smallint not null default 0,
      -- Time and data of all scanners that worked on it. A scan that waits for its turn uses none of its limits.
      worked_ms bigint not null default 0,
      received_bytes bigint not null default 0,
      created_at timestamptz not null default now(),
      started_at timestamptz,
      ended_at timestamptz,
      -- When mails about its findings were sent; null: none were.
      alerted_at timestamptz,
      primary key (project_id, id)
    )
  `,
  // One at a time for each project.
  `create unique index scan_active on scan (project_id) where status in ('queued', 'running')`,
  // Finds the next scan to claim.
  `create index scan_due on scan (created_at, id) where status in ('queued', 'running')`,
  // Finds results past their retention.
  'create index scan_ended on scan (ended_at) where ended_at is not null',
  `
    create table scan_page (
      project_id uuid not null,
      scan_id uuid not null,
      number int not null,
      url text not null,
      -- With port.
      host text not null,
      -- Links between it and a start address.
      depth int not null,
      status text not null default 'found'
        check (status in ('found', 'visiting', 'visited', 'failed', 'skipped')),
      -- Visits begun; a second one follows a scanner that stopped.
      visits smallint not null default 0 check (visits <= 2),
      -- Why it failed or was skipped.
      reason text,
      http_status int,
      -- Where redirects led; null: nowhere else.
      final_url text,
      -- Whether the project's loader was on it.
      loader_found boolean not null default false,
      -- Hosts and paths of other hosts that its HTML makes a browser request, and that no policy of the page stops.
      html_addresses text[] not null default '{}',
      duration_ms int,
      visited_at timestamptz,
      primary key (project_id, scan_id, number),
      foreign key (project_id, scan_id) references scan (project_id, id) on delete cascade
    )
  `,
  'create unique index scan_page_url on scan_page (project_id, scan_id, url)',
  // Whether a host is verified, and how many of its pages were visited today.
  'create index scan_page_host on scan_page (project_id, host, visited_at) where visited_at is not null',
  `
    create table scan_state (
      project_id uuid not null,
      scan_id uuid not null,
      state text not null check (state in ${STATES}),
      status text not null default 'pending'
        check (status in ('pending', 'running', 'tested', 'not_tested', 'skipped')),
      -- The third attempt is noted, but not begun.
      attempts smallint not null default 0 constraint scan_state_attempts check (attempts <= 3),
      -- Why it was not tested, or not on all pages.
      reason text,
      -- What made the choice: own, heuristic, or autoconsent:<name of the CMP>.
      driver text,
      -- Numbers of the pages that were visited in it.
      pages int[] not null default '{}',
      started_at timestamptz,
      ended_at timestamptz,
      primary key (project_id, scan_id, state),
      foreign key (project_id, scan_id) references scan (project_id, id) on delete cascade
    )
  `,
  `
    create table scan_item (
      project_id uuid not null,
      scan_id uuid not null,
      state text not null default 'before' check (state in ${STATES}),
      page int not null,
      number int not null,
      kind text not null check (
        kind in (
          'cookie', 'local_storage', 'session_storage', 'indexed_db', 'request', 'fingerprint', 'consent_event'
        )
      ),
      -- Name of the cookie or entry; path of the request, with the names of its query.
      name text not null,
      -- Of the cookie's domain, the entry's origin or the request.
      host text not null,
      third_party boolean not null,
      -- By kind (src/modules/scans/domain/observation.ts); values are masked.
      details jsonb not null,
      primary key (project_id, scan_id, state, page, number),
      foreign key (project_id, scan_id) references scan (project_id, id) on delete cascade
    )
  `,
  `
    create table scan_artifact (
      project_id uuid not null,
      scan_id uuid not null,
      state text not null check (state in ${STATES}),
      page int not null,
      kind text not null check (kind in ('screenshot', 'har')),
      -- Of the content.
      sha256 bytea not null,
      bytes int not null,
      -- A JPEG, or gzipped JSON; null: deleted after SCAN_RETENTION_DAYS.
      content bytea,
      created_at timestamptz not null default now(),
      primary key (project_id, scan_id, state, page, kind),
      foreign key (project_id, scan_id) references scan (project_id, id) on delete cascade
    )
  `,
  // Both kinds are compressed already.
  'alter table scan_artifact alter column content set storage external',
  'create index scan_artifact_stored on scan_artifact (created_at) where content is not null',
  `
    create table scan_proof (
      project_id uuid not null,
      scan_id uuid not null,
      -- Canonical JSON (RFC 8785).
      body text not null,
      salt bytea not null check (octet_length(salt) = 32),
      primary key (project_id, scan_id),
      foreign key (project_id, scan_id) references scan (project_id, id) on delete cascade
    )
  `,
  // Scanners that are running, so that the API can refuse a scan that nothing would work on.
  `
    create table scanner (
      id uuid primary key,
      browser text not null,
      seen_at timestamptz not null default now()
    )
  `,
  // Rate of page loads per host, over all scans of all projects.
  `
    create table scan_host (
      -- With port, unless it is the scheme's.
      host text primary key,
      -- When a scanner may load its next page.
      next_page_at timestamptz not null default now()
    )
  `,
  // Without a foreign key to the scan: a project that is deleted does not free its host.
  `
    create table scan_host_scan (
      host text not null references scan_host (host) on delete cascade,
      scan_id uuid not null,
      at timestamptz not null default now(),
      primary key (host, scan_id)
    )
  `,
  // Accounts take turns at scanners, and have a share of their time. Without a foreign key to the project or the scan:
  // deleting one gives an account neither time nor an earlier turn.
  `
    create table scan_account_hour (
      account_id uuid not null,
      hour timestamptz not null,
      worked_ms bigint not null default 0,
      -- When a scanner last claimed a scan of the account in this hour.
      claimed_at timestamptz not null default now(),
      primary key (account_id, hour)
    )
  `,
  `
    create table scan_schedule (
      project_id uuid primary key references project (id) on delete cascade,
      frequency text not null check (frequency in ('weekly', 'monthly')),
      next_at timestamptz not null
    )
  `,
  'create index scan_schedule_due on scan_schedule (next_at)',
  // Whether a member wants mails about findings. No row: the member did not choose.
  `
    create table scan_alert_choice (
      project_id uuid not null,
      user_id uuid not null,
      enabled boolean not null,
      primary key (project_id, user_id),
      foreign key (project_id, user_id) references project_member (project_id, user_id) on delete cascade
    )
  `,
  // Cookies, entries, requests and fingerprints of a site, over all of its scans.
  `
    create table site_item (
      project_id uuid not null references project (id) on delete cascade,
      -- Of kind, name and host, the same in each project.
      id uuid not null,
      kind text not null check (kind in ${KINDS}),
      -- Ids in it are *; empty: a request.
      name text not null,
      -- The site that stores it, or the host that is requested.
      host text not null,
      third_party boolean not null,
      -- Host and path of what caused it.
      initiators text[] not null,
      -- Longest time until a cookie expires; null: with the session, or not a cookie.
      lifetime_seconds float8,
      -- Where the last scan that saw it did so: states, and addresses of some pages.
      states text[] not null,
      page_urls text[] not null,
      last_scan_id uuid not null,
      first_seen_at timestamptz not null,
      last_seen_at timestamptz not null,
      primary key (project_id, id)
    )
  `,
  `
    create table cookie_decision (
      project_id uuid not null references project (id) on delete cascade,
      -- As in site_item.
      id uuid not null,
      kind text not null check (kind in ${KINDS}),
      name text not null,
      host text not null,
      category text not null check (category in ${CATEGORIES}),
      purpose text,
      provider text,
      -- In words.
      duration text,
      -- As in the audit log.
      decided_by_kind text not null,
      decided_by_id text,
      decided_at timestamptz not null default now(),
      primary key (project_id, id)
    )
  `,
  `
    create table scan_finding (
      project_id uuid not null references project (id) on delete cascade,
      -- Of kind and item, the same in each scan.
      id uuid not null,
      kind text not null,
      item_kind text check (item_kind in ${KINDS}),
      name text not null,
      host text not null,
      -- As the last scan saw it.
      certainty text not null check (certainty in ${CERTAINTIES}),
      state text not null check (state in ${STATES}),
      page_urls text[] not null,
      initiator text,
      category text check (category in ${CATEGORIES}),
      service text,
      lifetime_seconds float8,
      declared text,
      -- Which pages set, sent or only had the item.
      uses jsonb not null default '[]',
      status text not null check (status in ('new', 'open', 'fixed', 'accepted')),
      -- Scans in a row that tested its state and page without seeing it.
      misses int not null,
      first_scan_id uuid not null,
      -- The last scan that saw it, and the last one that was counted.
      last_scan_id uuid not null,
      counted_scan_id uuid not null,
      first_seen_at timestamptz not null,
      last_seen_at timestamptz not null,
      accepted_reason text,
      accepted_by_kind text,
      accepted_by_id text,
      accepted_at timestamptz,
      primary key (project_id, id)
    )
  `,
  `
    create table scan_finding_seen (
      project_id uuid not null,
      scan_id uuid not null,
      finding_id uuid not null,
      certainty text not null check (certainty in ${CERTAINTIES}),
      state text not null check (state in ${STATES}),
      -- Numbers of the scan's pages.
      pages int[] not null,
      initiator text,
      category text check (category in ${CATEGORIES}),
      service text,
      lifetime_seconds float8,
      declared text,
      uses jsonb not null default '[]',
      primary key (project_id, scan_id, finding_id),
      foreign key (project_id, scan_id) references scan (project_id, id) on delete cascade,
      foreign key (project_id, finding_id) references scan_finding (project_id, id) on delete cascade
    )
  `,
  // For the foreign key: old findings are deleted.
  'create index scan_finding_seen_finding on scan_finding_seen (project_id, finding_id)',
  // A scanner, whose role may not write the outbox, announces the end of a scan that this very transaction ended.
  `
    create function scan_finished(p_project uuid, p_scan uuid, p_key uuid) returns void ${security} as $$
    begin
      if not exists (select from scan where project_id = p_project and id = p_scan and ended_at = now()) then
        raise exception 'scan % did not end in this transaction', p_scan using errcode = 'check_violation';
      end if;
      insert into outbox_message (part, ordering_key, project_id, topic, subject_id)
      select o.part, p_key, p_project, 'scan.finished', p_scan from outbox_opening o order by o.id desc limit 1;
    end
    $$
  `,
  'revoke execute on function scan_finished(uuid, uuid, uuid) from public',
];
