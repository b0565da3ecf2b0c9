import type { Client } from 'pg';
import { CONSENT_RECORDED } from '../../src/modules/consent/domain/consent-recorded.js';
import type { Claim } from './audit.js';

/** The first wait before a probe; each one after it is at least twice as long (domain/hold.ts). */
const FIRST_STEP_MS = 5_000;
/**
 * A message claimed this soon after the start of a hold may have been claimed before the hold was
 * committed.
 */
const COMMIT_SLACK_MS = 1_000;

/**
 * The state of projects that forward without retries, just before an unavailable receiver came
 * back.
 */
export interface Absence {
  fromMs: number;
  toMs: number;
  /** Since when each project is held; null: it is not. */
  heldSinceMs: Map<string, number | null>;
  /** Records that were neither attempted nor waiting, or both. */
  astray: string[];
}

/** Who is held, and which records are astray, each by one statement. */
export async function lookAtHolds(client: Client): Promise<Pick<Absence, 'heldSinceMs' | 'astray'>> {
  const holds = await client.query<{ projectId: string; heldSinceMs: number | null }>(`
    select f.project_id as "projectId", (extract(epoch from h.held_since) * 1000)::float8 as "heldSinceMs"
    from forwarding_settings f
    left join forwarding_hold h on h.project_id = f.project_id and h.phase = 'open'
    where f.enabled and not f.retry_failures`);
  const astray = await client.query<{ text: string }>(
    `select r.id || case when attempted.id is null then ' is lost' else ' was attempted and waits' end as text
     from consent_record r
     join forwarding_settings f on f.project_id = r.project_id and f.enabled and not f.retry_failures
     left join (select distinct consent_id as id from delivery) attempted on attempted.id = r.id
     left join outbox_message waiting on waiting.subject_id = r.id and waiting.topic = $1
     where (attempted.id is null) = (waiting.id is null)`,
    [CONSENT_RECORDED],
  );
  return {
    heldSinceMs: new Map(holds.rows.map(({ projectId, heldSinceMs }) => [projectId, heldSinceMs])),
    astray: astray.rows.map(({ text }) => text),
  };
}

/** Whether records wait for a retry. */
export async function haveRetries(client: Client): Promise<boolean> {
  const { rows } = await client.query('select from delivery_retry limit 1');
  return rows.length > 0;
}

/** Whether retries are in the outbox, under a lease. */
export async function areRetriesQueued(client: Client): Promise<boolean> {
  const { rows } = await client.query(
    `select from delivery_retry r join outbox_message m on m.subject_id = r.consent_id
     where r.queued_at is not null and m.claim_id is not null limit 1`,
  );
  return rows.length > 0;
}

/** Which worker has made the latest claim since; null where nothing was claimed. */
export async function latestHolder(client: Client, sinceMs: number): Promise<string | null> {
  const { rows } = await client.query<{ holder: string }>(
    `select holder from fault_audit
     where event = 'claim' and at > to_timestamp($1::float8 / 1000) order by seq desc limit 1`,
    [sinceMs],
  );
  return rows[0]?.holder ?? null;
}

/** Records that were spent on projects while those were held. */
export function probesOf({ heldSinceMs, fromMs, toMs }: Absence, claims: Claim[]): Map<string, Set<string>> {
  const probes = new Map<string, Set<string>>();
  for (const claim of claims) {
    const since = heldSinceMs.get(claim.projectId);
    // Hold notifications have a claim too, and it may end with the worker that is killed.
    if (claim.topic !== CONSENT_RECORDED || claim.end === 'released' || typeof since !== 'number') continue;
    const isLater = claim.fromMs > Math.max(since, fromMs) + COMMIT_SLACK_MS;
    if (!isLater || claim.fromMs > toMs) continue;
    probes.set(claim.projectId, (probes.get(claim.projectId) ?? new Set()).add(claim.consentId));
  }
  return probes;
}

/** What breaks the promise that an outage of the receiver costs a record a step. */
export function wasted(absence: Absence, claims: Claim[]): string[] {
  const { heldSinceMs, toMs } = absence;
  const probes = probesOf(absence, claims);
  return [...heldSinceMs].flatMap(([projectId, since]) => {
    if (since === null) return [`project ${projectId} was not held`];
    const spent = probes.get(projectId)?.size ?? 0;
    const most = stepsWithin(toMs - since);
    if (spent <= most) return [];
    const records = [...(probes.get(projectId) ?? [])].map((id) => `${id} was sent while held`);
    return [`project ${projectId}: ${spent} records in ${most} steps`, ...records];
  });
}

/** How many probes there may be at most: after one step, three, seven and so on, before any jitter. */
function stepsWithin(ms: number): number {
  return Math.floor(Math.log2(ms / FIRST_STEP_MS + 1));
}
