import type { Client } from 'pg';
import { CHECKPOINT_DUE, SEQUENCING_DUE } from '../../src/modules/evidence/evidence.events.js';

/** The database user under which each worker of the lab works, so that the audit knows who did what. */
export const WORKER_USERS = ['lab_worker_0', 'lab_worker_1'] as const;

/**
 * Writes down every claim and every end of a message, in the transaction that makes it. It looks at the service
 * from outside: nothing in the service knows of it.
 */
const AUDIT = `
  create table fault_audit (
    seq bigint generated always as identity primary key,
    at timestamptz not null default clock_timestamp(),
    event text not null,
    topic text not null,
    project_id uuid not null,
    message_id bigint not null,
    subject_id uuid not null,
    holder text not null
  );
  create function fault_audit() returns trigger language plpgsql security definer as $$
  begin
    -- Logs have rules of their own, and one message may stand for many records (sealing.ts).
    if old.topic in ('${SEQUENCING_DUE}', '${CHECKPOINT_DUE}') then
      return null;
    elsif tg_op = 'DELETE' and current_query() ~ 'insert into outbox_message ' then
      -- Moved to another partition.
      return null;
    elsif tg_op = 'DELETE' then
      insert into fault_audit (event, topic, project_id, message_id, subject_id, holder)
      values ('end', old.topic, old.project_id, old.id, old.subject_id, session_user);
    elsif new.claim_id is distinct from old.claim_id then
      insert into fault_audit (event, topic, project_id, message_id, subject_id, holder)
      values (case when new.claim_id is null then 'release' else 'claim' end,
              new.topic, new.project_id, new.id, new.subject_id, session_user);
    end if;
    return null;
  end $$;
  create trigger fault_audit after update or delete on outbox_message
  for each row execute function fault_audit();
`;

/** Sets the audit up, and the workers' own users. */
export async function installAudit(client: Client, password: string): Promise<void> {
  for (const user of WORKER_USERS)
    await client.query(`create role ${user} login in role service_runtime password '${password}'`);
  await client.query(AUDIT);
}

/** One lease: who held a message from when until when, and how that ended. */
export interface Claim {
  topic: string;
  projectId: string;
  consentId: string;
  /** 0 or 1: which worker. */
  worker: number;
  fromMs: number;
  toMs: number;
  end: 'settled' | 'released' | 'taken_over' | 'settled_by_another' | 'open';
}

interface AuditRow {
  event: 'claim' | 'release' | 'end';
  topic: string;
  key: string;
  projectId: string;
  consentId: string;
  holder: string;
  atMs: number;
}

/** Every lease of the run, and the records whose message was deleted without a lease. */
export async function readClaims(client: Client): Promise<{ claims: Claim[]; endedUnclaimed: string[] }> {
  const { rows } = await client.query<AuditRow>(`
    select event, topic, project_id || '/' || message_id as key, project_id as "projectId", subject_id as "consentId",
           holder, (extract(epoch from at) * 1000)::float8 as "atMs"
    from fault_audit order by seq`);
  const claims: Claim[] = [];
  const endedUnclaimed: string[] = [];
  const open = new Map<string, Claim>();
  for (const row of rows) {
    const held = open.get(row.key);
    if (held) held.toMs = row.atMs;
    if (row.event === 'claim') {
      if (held) held.end = 'taken_over';
      const { topic, projectId, consentId, atMs } = row;
      const worker = WORKER_USERS.findIndex((user) => user === row.holder);
      const claim: Claim = { topic, projectId, consentId, worker, fromMs: atMs, toMs: Infinity, end: 'open' };
      claims.push(claim);
      open.set(row.key, claim);
      continue;
    }
    open.delete(row.key);
    const isHolder = held !== undefined && WORKER_USERS[held.worker] === row.holder;
    if (held) held.end = isHolder ? (row.event === 'end' ? 'settled' : 'released') : 'settled_by_another';
    else endedUnclaimed.push(row.consentId);
  }
  return { claims, endedUnclaimed };
}

/** Everything that the audit and the delivery log know of some records, a line each. */
export async function readHistories(client: Client, consentIds: string[]): Promise<Record<string, string[]>> {
  const { rows } = await client.query<{ id: string; line: string }>(
    `select id::text, line from (
       select subject_id as id, at, seq,
              format('%s %s of message %s (%s) by %s', at::time, event, message_id, topic, holder) as line
       from fault_audit where subject_id = any($1::uuid[])
       union all
       select consent_id, attempted_at, 0,
              format('%s attempt, %s ms, logged as %s %s', attempted_at::time, duration_ms, outcome, category)
       from delivery where consent_id = any($1::uuid[])
     ) as known order by at, seq`,
    [consentIds],
  );
  const histories: Record<string, string[]> = {};
  for (const { id, line } of rows) (histories[id] ??= []).push(line);
  return histories;
}
