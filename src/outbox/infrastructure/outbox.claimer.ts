import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import type { Pool } from 'pg';
import { Complaint } from '../../shared/complaint.js';
import { newId } from '../../shared/ids.js';
import { openPool } from '../../shared/postgres-pool.js';
import { SettingsFrom } from '../../shared/inject-settings.js';
import { type OutboxSettings, outboxSettings } from '../outbox.settings.js';
import { type DatabaseSettings, databaseSettings } from '../../database/database.settings.js';
import type { OutboxMessage } from '../domain/outbox-message.js';

/** Projects that one claim looks at; each costs one step in the primary key. */
const CLAIM_PROJECTS_MAX = 256;
const LOWEST_UUID = '00000000-0000-0000-0000-000000000000';
/** A claim takes milliseconds; one that takes this long is on a server that hangs. */
const CLAIM_TIMEOUT_MS = 10_000;

/** What a claim may take. */
export interface ClaimRequest {
  topics: string[];
  /** Messages in all. */
  limit: number;
  /** Messages of a project that `freeOf` does not name. */
  limitPerProject: number;
  /** Messages that projects with work under way may still get; 0 for a project that has its fill. */
  freeOf: Map<string, number>;
  /** Where the walk over the projects begins; see `Claimed.nextProject`. */
  afterProject: string;
}

export interface Claimed {
  claimId: string;
  messages: OutboxMessage[];
  /** Give this as `afterProject` next time, so that all projects get their turn. */
  nextProject: string;
  /** The walk came to the last project. */
  reachedEnd: boolean;
}

type ClaimRow = OutboxMessage & { lastProject: string | null; walked: number };

/**
 * Parameters: after which project, topics, free by project, limit per project, limit, claim id, lease in seconds.
 * The rows picked are locked, so they are updated by their place: joined by their key, a plan made while the
 * outbox was empty, and kept, read all of it for each of them (8.0 s against 7 ms for 256 of 50,000).
 */
const CLAIM = {
  name: 'outbox-claim',
  text: `
    with recursive walk (project_id, step) as (
      (select project_id, 1 from outbox_message where project_id > $1::uuid order by project_id limit 1)
      union all
      select next.project_id, walk.step + 1
      from walk cross join lateral (
        select m.project_id from outbox_message m
        where m.project_id > walk.project_id order by m.project_id limit 1
      ) next
      where walk.step < ${CLAIM_PROJECTS_MAX}
    ), picked as (
      select oldest.place
      from walk
      cross join lateral (
        select m.ctid as place from outbox_message m
        where m.project_id = walk.project_id and m.available_at <= now() and m.topic = any($2::text[])
        order by m.id
        limit coalesce(($3::jsonb ->> walk.project_id::text)::int, $4::int)
        for update skip locked
      ) oldest
      limit $5::int
    ), claimed as (
      update outbox_message m
      set claim_id = $6::uuid, available_at = now() + make_interval(secs => $7::float8),
          unknown_outcomes = m.unknown_outcomes + 1
      where m.ctid = any (array(select place from picked))
      returning m.project_id as "projectId", m.id, m.topic, m.subject_id as "subjectId", m.payload,
                m.unknown_outcomes - 1 as "unknownOutcomes", m.failures, m.created_at as "createdAt"
    )
    select claimed.*, w."lastProject", w.walked
    from (select max(project_id::text) as "lastProject", count(*)::int as walked from walk) w
    left join claimed on true
  `,
};

/**
 * What the planner knows of a table that fills and empties all the time is never true. Left to itself it reads
 * and sorts a project's whole backlog for its oldest few messages; the primary key gives them in their order.
 */
const ALONG_THE_PRIMARY_KEY = {
  enable_sort: 'off',
  enable_bitmapscan: 'off',
  enable_seqscan: 'off',
  plan_cache_mode: 'force_generic_plan',
  jit: 'off',
};

/** Settings of the connection that claims. */
const SERVER_SETTINGS = {
  ...ALONG_THE_PRIMARY_KEY,
  // A claim that a crash of the server undoes is made again; to wait for the disk would protect nothing.
  synchronous_commit: 'off',
};

/** Leases messages to this worker. Time is the database's alone: a worker's clock decides nothing here. */
@Injectable()
export class OutboxClaimer implements OnApplicationShutdown {
  private readonly dropped = new Complaint(
    new Logger(OutboxClaimer.name),
    'the connection that claims messages broke off; opening another one',
  );
  private readonly pool: Pool;
  private readonly leaseSeconds: number;

  constructor(
    @SettingsFrom(outboxSettings) settings: OutboxSettings,
    @SettingsFrom(databaseSettings) database: DatabaseSettings,
  ) {
    this.leaseSeconds = settings.leaseMs / 1000;
    this.pool = openPool(database, {
      name: 'claim',
      connections: 1,
      statementMs: CLAIM_TIMEOUT_MS,
      serverSettings: SERVER_SETTINGS,
      onDropped: (error) => this.dropped.about(error),
    });
  }

  /**
   * Leases messages under a new claim id, fair between projects: it steps from project to project along the
   * primary key (so that a project with a million messages costs the same step as one with one) and takes the
   * oldest of each. A lease that has run out counts as an unknown outcome and may be claimed again.
   */
  async claim(request: ClaimRequest): Promise<Claimed> {
    const claimId = newId();
    const { rows } = await this.pool.query<ClaimRow>({
      ...CLAIM,
      values: [
        request.afterProject,
        request.topics,
        JSON.stringify(Object.fromEntries(request.freeOf)),
        request.limitPerProject,
        request.limit,
        claimId,
        this.leaseSeconds,
      ],
    });
    const { lastProject, walked } = rows[0] ?? { lastProject: null, walked: 0 };
    const messages = rows.filter((row) => row.projectId !== null).map(messageOf);
    const reachedEnd = walked < CLAIM_PROJECTS_MAX && messages.length < request.limit;
    const lastServed = messages.length < request.limit ? lastProject : highestProject(messages);
    return {
      claimId,
      messages,
      nextProject: reachedEnd ? LOWEST_UUID : (lastServed ?? LOWEST_UUID),
      reachedEnd,
    };
  }

  async onApplicationShutdown(): Promise<void> {
    await this.pool.end();
  }
}

function messageOf(row: ClaimRow): OutboxMessage {
  const { projectId, id, topic, subjectId, payload, unknownOutcomes, failures, createdAt } = row;
  return { projectId, id, topic, subjectId, payload, unknownOutcomes, failures, createdAt };
}

function highestProject(messages: OutboxMessage[]): string | null {
  return messages.reduce<string | null>(
    (highest, { projectId }) => (highest === null || projectId > highest ? projectId : highest),
    null,
  );
}
