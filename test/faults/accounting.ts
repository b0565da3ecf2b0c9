import type { Client } from 'pg';
import { type Absence, probesOf, wasted } from './absences.js';
import { type Claim, readClaims, readHistories } from './audit.js';
import type { LabInstallation } from './lab.js';
import type { Load, Trouble } from './load.js';
import type { Outages } from './outages.js';
import { accountOfSealing, type Witness } from './evidence-log.js';
import { isTemporary } from '../../src/modules/forwarding/domain/retry.js';
import type { DeliveryOutcome } from '../../src/modules/forwarding/domain/delivery-outcome.js';
import { FORWARDING_HOLD } from '../../src/modules/forwarding/forwarding.events.js';
import { CHECKPOINT_DUE, SEQUENCING_DUE } from '../../src/modules/evidence/evidence.events.js';
import { uuidTimeMs } from '../../src/platform/identity/ids.js';

/**
 * Messages in the outbox, except hold notifications that are not due: owners are notified after five minutes. Sealing
 * messages are appended every second and are judged by the sealed records instead.
 */
export const TO_BE_DONE = `
  from outbox_message
  where topic not in ('${SEQUENCING_DUE}', '${CHECKPOINT_DUE}')
    and (topic <> '${FORWARDING_HOLD}' or claim_id is not null or available_at <= now())`;

/** Slack between the lab's clock readings and the instants at which a signal takes effect. */
const CLOCK_SLACK_MS = 100;
/** Violations of one rule that are shown; their number is always reported. */
const EXAMPLES_MAX = 5;

/** Records that broke a rule and whose whole history is reported. */
const HISTORIES_MAX = 6;
const CONSENT_ID = /^[0-9a-f-]{36}/;
const UUID_CHARACTERS = 36;

/** One rule, and what breaks it; none broken means it holds. */
interface Finding {
  rule: string;
  broken: string[];
}

export interface Accounts {
  counts: Record<string, number>;
  findings: Finding[];
  /** What happened to records that broke a rule, in the order of time. */
  histories: Record<string, string[]>;
}

export interface Ledger {
  installation: LabInstallation;
  load: Load;
  outages: Outages;
  /** Whether a caller may have seen this. */
  isAllowed(trouble: Trouble, outages: Outages): boolean;
  absences: Absence[];
  witness: Witness;
  projects: { forwarding: string[]; retrying: string; silent: string };
  /** Processes that ended unexpectedly, and faults that did not heal. */
  died: string[];
  unhealed: string[];
  /** Records that were acknowledged in a round and not stored at its end. */
  missing: string[];
}

interface DeliveryRow {
  projectId: string;
  consentId: string;
  outcome: DeliveryOutcome['outcome'];
  category: DeliveryOutcome['category'];
  httpStatus: number | null;
  attempt: number;
}

/** Adds everything up by sets of ids, once all is healed and the outbox had its time to empty. */
export async function account(ledger: Ledger): Promise<Accounts> {
  const { installation, load, outages, absences, projects } = ledger;
  const stored = await installation.withDatabase((client) => idsByProject(client));
  const deliveries = await installation.withDatabase(deliveryRows);
  const { claims, endedUnclaimed } = await installation.withDatabase(readClaims);
  const left = await installation.withDatabase(leftovers);
  const { taken, broken } = await installation.receiver.counts();

  const allStored = new Set([...stored.values()].flatMap((ids) => [...ids]));
  const forwarded = projects.forwarding.flatMap((id) => [...(stored.get(id) ?? [])]);
  const inTheLog = countBy(deliveries.map(({ consentId }) => consentId));
  const timesAtAttempt = countBy(
    deliveries.map(({ consentId, attempt }) => `${consentId} at attempt ${attempt}`),
  );
  const attemptsOf = new Map<string, number>();
  for (const { consentId, attempt } of deliveries)
    attemptsOf.set(consentId, Math.max(attempt, attemptsOf.get(consentId) ?? 1));
  const delivered = deliveries
    .filter(({ outcome }) => outcome === 'delivered')
    .map(({ consentId }) => consentId);
  const claimsOf = countBy(claims.map(({ consentId }) => consentId));
  const takenOver = claims.filter(({ end }) => end === 'taken_over');
  const loggedLate = countBy(
    takenOver.filter((claim) => mayBeLoggedLate(claim, outages)).map(({ consentId }) => consentId),
  );
  const inFlightAtOutages = claims.filter((claim) => wasHit(claim, outages));
  // An automatic retry repeats a request on purpose.
  const duplicates = sum([...taken].map(([id, times]) => Math.max(0, times - (attemptsOf.get(id) ?? 1))));
  const silentRows = deliveries.filter(({ projectId }) => projectId === projects.silent);
  const sealing = await accountOfSealing(installation, ledger.witness);
  const troubles = load.troubles.filter((trouble) => !ledger.isAllowed(trouble, outages));

  const accounts = {
    counts: {
      sent: load.sent.size,
      acknowledged: load.acknowledged.size,
      stored: allStored.size,
      storedWithForwardingOn: forwarded.length,
      inTheDeliveryLog: inTheLog.size,
      delivered: delivered.length,
      failed: deliveries.filter(({ outcome }) => outcome === 'failed').length,
      givenUpAfterThreeClaims: deliveries.filter(({ category }) => category === 'worker_lost').length,
      receivedWhole: taken.size,
      brokenOffByTheReceiver: broken.size,
      claims: claims.length,
      takenOver: takenOver.length,
      inFlightAtOutages: inFlightAtOutages.length,
      receivedTwice: duplicates,
      retries: sum([...attemptsOf.values()].map((attempts) => attempts - 1)),
      spentOnProbes: sum(
        absences.flatMap((one) => [...probesOf(one, claims).values()].map(({ size }) => size)),
      ),
      checkpointsSeen: sealing.checkpointsSeen,
      toldToComeAgain: load.troubles.filter(({ what }) => what === 'unavailable').length,
      refusedOrBroken: load.troubles.filter(({ what }) => what === 'refused' || what === 'broken').length,
      noAnswerInTime: load.troubles.filter(({ what }) => what === 'late').length,
      slowestAnswerMs: load.slowestMs,
    },
    findings: [
      finding('every acknowledged record is stored', [
        ...ledger.missing,
        ...without(load.acknowledged, allStored),
      ]),
      finding('no stored record is one that was never sent', without(allStored, load.sent)),
      finding('every record stored with forwarding on was attempted', without(forwarded, inTheLog)),
      finding('no record of a project with forwarding off is in the log or outbox', [
        ...silentRows.map(({ consentId }) => consentId),
        ...claims.filter(({ projectId }) => projectId === projects.silent).map(({ consentId }) => consentId),
      ]),
      finding('every record logged as delivered was received', without(delivered, taken)),
      finding('no delivery without a record', without(inTheLog.keys(), allStored)),
      finding(
        'no record is in the log twice, except for attempts whose lease had ended or whose claim a crash undid',
        [...timesAtAttempt]
          .filter(([key, times]) => {
            const id = key.slice(0, UUID_CHARACTERS);
            return times > 1 + (loggedLate.get(id) ?? 0) + claimsUndone(id, claims, outages);
          })
          .map(([key, times]) => `${key}, ${times} times`),
      ),
      finding(
        'a message is taken over only while a worker or PostgreSQL was unavailable',
        takenOver
          .filter((claim) => !wasHit(claim, outages))
          .map(({ consentId, worker }) => `${consentId} of worker-${worker}`),
      ),
      finding('a message is settled only by the worker that holds it', [
        ...claims
          .filter(({ end }) => end === 'settled_by_another')
          .map(({ consentId, worker }) => `${consentId}, held by worker-${worker}`),
        ...endedUnclaimed.map((id) => `${id}, held by nobody`),
      ]),
      finding(
        'no record is received more often than it was claimed, unless a PostgreSQL crash undid a claim',
        [...taken]
          .filter(([id, times]) => times > (claimsOf.get(id) ?? 0) + claimsUndone(id, claims, outages))
          .map(([id, times]) => `${id} ${times} times`),
      ),
      finding(
        'duplicates are at most the messages in flight during a fault',
        duplicates <= inFlightAtOutages.length ? [] : [`${duplicates} > ${inFlightAtOutages.length}`],
      ),
      finding(
        'while a receiver is unavailable, every record is attempted once or queued',
        absences.flatMap(({ astray }) => astray),
      ),
      finding(
        'while a receiver is unavailable, its projects are held, and a back-off step costs one record',
        absences.flatMap((absence) => wasted(absence, claims)),
      ),
      finding(
        'every record is in the log of its project exactly once, and matches its entry',
        sealing.notOnce,
      ),
      finding('every log is signed up to its last entry', sealing.unsigned),
      finding('every signed checkpoint is consistent with the current log', sealing.forked),
      finding('the outbox is empty', left.waiting),
      finding('no record waits for a retry', left.retrying),
      finding(
        'every record of a project that retries was delivered, or failed permanently',
        notRetried(deliveries.filter(({ projectId }) => projectId === projects.retrying)),
      ),
      finding('there are no dead letters', left.dead),
      finding(
        'callers see only 200, 201, 503 with Retry-After, and an unavailable API',
        troubles.map(
          ({ what, detail, api, fromMs, toMs }) =>
            `${what} ${detail}, api-${api}, ${new Date(fromMs).toISOString()}, after ${toMs - fromMs} ms`,
        ),
      ),
      finding('no process exits unexpectedly', ledger.died),
      finding('everything is ready again after each round', ledger.unhealed),
    ],
  };
  const ids = accounts.findings.flatMap(({ broken }) =>
    broken.flatMap((text) => CONSENT_ID.exec(text) ?? []),
  );
  const histories = await installation.withDatabase((client) =>
    readHistories(client, [...new Set(ids)].slice(0, HISTORIES_MAX)),
  );
  return { ...accounts, histories };
}

function finding(rule: string, broken: string[]): Finding {
  const more = broken.length - EXAMPLES_MAX;
  return { rule, broken: more > 0 ? [...broken.slice(0, EXAMPLES_MAX), `and ${more} more`] : broken };
}

/**
 * Whether the lease met an outage of its holder; of PostgreSQL, where every holder's outcome is lost; or another
 * worker that was stopped, perhaps inside a transaction, whose locks block all other writers. Such a
 * message was in flight: it may be taken over, and its record may be received again.
 */
function wasHit({ worker, fromMs, toMs }: Claim, outages: Outages): boolean {
  return outages.in(fromMs - CLOCK_SLACK_MS, toMs, CLOCK_SLACK_MS).some(({ part, stopped }) => {
    const isWorker = part === 'worker-0' || part === 'worker-1';
    return part === 'postgres' || part === `worker-${worker}` || (isWorker && stopped);
  });
}

/** Whether the holder survived what made it lose its lease: it stood still, or had to wait for the database. */
function mayBeLoggedLate({ worker, fromMs, toMs }: Claim, outages: Outages): boolean {
  return outages
    .in(fromMs - CLOCK_SLACK_MS, toMs, CLOCK_SLACK_MS)
    .every(({ part, stopped }) => part !== `worker-${worker}` || stopped);
}

/**
 * Claims of a record that crashes of PostgreSQL may have undone, the audit of them too: claims do not wait for the
 * disk (outbox.claimer.ts). At most one a crash between the record's making and its first claim that is known.
 */
function claimsUndone(consentId: string, claims: Claim[], outages: Outages): number {
  const known = claims.filter((claim) => claim.consentId === consentId).map(({ fromMs }) => fromMs);
  if (known.length === 0) return 0;
  return outages
    .in(uuidTimeMs(consentId), Math.min(...known) + CLOCK_SLACK_MS)
    .filter(({ part }) => part === 'postgres').length;
}

async function idsByProject(client: Client): Promise<Map<string, Set<string>>> {
  const { rows } = await client.query<{ projectId: string; id: string }>(
    'select project_id as "projectId", id from consent_record',
  );
  const ids = new Map<string, Set<string>>();
  for (const { projectId, id } of rows) ids.set(projectId, (ids.get(projectId) ?? new Set()).add(id));
  return ids;
}

async function deliveryRows(client: Client): Promise<DeliveryRow[]> {
  const { rows } = await client.query<DeliveryRow>(
    'select project_id as "projectId", consent_id as "consentId", outcome, category, http_status as "httpStatus", attempt from delivery order by id',
  );
  return rows;
}

/** Records whose latest attempt failed temporarily, although no attempt of them was delivered. */
function notRetried(deliveries: DeliveryRow[]): string[] {
  const delivered = new Set(
    deliveries.filter(({ outcome }) => outcome === 'delivered').map(({ consentId }) => consentId),
  );
  const latest = new Map(deliveries.map((row) => [row.consentId, row]));
  return [...latest.values()]
    .filter(({ consentId, outcome, category, httpStatus }) => {
      const isOver = delivered.has(consentId) || !isTemporary({ outcome, category, httpStatus });
      return !isOver;
    })
    .map(({ consentId, category, attempt }) => `${consentId}: ${category} at attempt ${attempt}`);
}

async function leftovers(client: Client): Promise<{ waiting: string[]; retrying: string[]; dead: string[] }> {
  const waiting = await client.query<{ text: string }>(
    `select subject_id || ', claimed ' || abandoned_attempts || ' times, ' || coalesce(last_error, 'no error') as text
     ${TO_BE_DONE}`,
  );
  const dead = await client.query<{ text: string }>(
    `select subject_id || ', ' || coalesce(last_error, 'no error') as text from outbox_dead_letter`,
  );
  const retrying = await client.query<{ text: string }>(
    `select consent_id || ', due ' || due_at || case when queued_at is null then '' else ', queued' end as text
     from delivery_retry`,
  );
  return {
    waiting: waiting.rows.map(({ text }) => text),
    retrying: retrying.rows.map(({ text }) => text),
    dead: dead.rows.map(({ text }) => text),
  };
}

/** The members of `these` that are not in `those`. */
function without(these: Iterable<string>, those: { has(id: string): boolean }): string[] {
  return [...these].filter((id) => !those.has(id));
}

function countBy(ids: string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const id of ids) counts.set(id, (counts.get(id) ?? 0) + 1);
  return counts;
}

function sum(numbers: number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
