import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { accountSql } from '../../access/access.service.js';
import { existingProject, joinProject } from '../../projects/project.rows.js';
import { rowOf } from '../../../platform/database/tables.js';
import type { CustomDomain, DomainState } from '../domain/custom-domain.js';
import type { ProxyObservations, StoredProxySecrets } from '../domain/proxy-secret.js';
import { CustomDomainEntity, FirstPartyProxy } from './domain.entities.js';

/** A check leases its domain for this long; then another worker checks it. */
const CHECK_LEASE_SECONDS = 600;

/** A project's domains, by name. */
export async function readDomains(em: EntityManager, projectId: string): Promise<CustomDomain[]> {
  return (await em.find(CustomDomainEntity, { projectId }, { orderBy: { hostname: 'asc' } })).map(rowOf);
}

/** The domain of the project that has proven control of a hostname; null: none. */
export async function readHolder(em: EntityManager, hostname: string): Promise<CustomDomain | null> {
  const holder = await em.findOne(CustomDomainEntity, { hostname, state: { $ne: 'pending' } });
  return holder && rowOf(holder);
}

/** Until the transaction ends, only this check decides who owns the hostname. */
export async function lockHostname(tx: EntityManager, hostname: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended('custom domain ' || ${hostname}, 0))`.execute(
    tx.getKysely(),
  );
}

/** Domains that one run checks; others are still due at the next run. */
const DUE_MAX = 200;
/** Of these, domains of one account, whose name servers may all be slow. */
export const DUE_PER_ACCOUNT_MAX = 20;

/** Domains whose check is due: accounts in turn, and for each the longest overdue first. */
export async function claimDue(em: EntityManager, now: Date): Promise<CustomDomain[]> {
  const { rows } = await sql<{ id: string }>`
    with due as (
      select d.id, d.next_check_at, row_number() over (partition by account.id order by d.next_check_at) as turn
      from custom_domain d cross join lateral (select ${accountSql(sql`d.project_id`)} as id) account
      where d.next_check_at <= ${now}
    )
    update custom_domain d set next_check_at = ${now}::timestamptz + ${CHECK_LEASE_SECONDS} * interval '1 second'
    where d.id in (
      select locked.id from custom_domain locked join due on due.id = locked.id
      where due.turn <= ${DUE_PER_ACCOUNT_MAX} and locked.next_check_at <= ${now}
      order by due.turn, due.next_check_at limit ${DUE_MAX} for update of locked skip locked
    ) returning d.id
  `.execute(em.getKysely());
  return (await em.find(CustomDomainEntity, { id: { $in: rows.map(({ id }) => id) } })).map(rowOf);
}

/** Schedules a check of all domains of a project as soon as possible. */
export async function checkSoon(tx: EntityManager, projectId: string): Promise<void> {
  await sql`update custom_domain set next_check_at = least(next_check_at, now()) where project_id = ${projectId}`.execute(
    tx.getKysely(),
  );
}

/** Uses one of the day's attempts; false: none is left. */
export async function takeAttempt(
  em: EntityManager,
  projectId: string,
  { max, now }: { max: number; now: Date },
): Promise<boolean> {
  const day = now.toISOString().slice(0, 10);
  const { rows } = await sql`
    insert into custom_domain_attempts as a (project_id, day, attempts)
    select id, ${day}::date, 1 from ${existingProject(projectId)} p
    on conflict (project_id) do update set
      attempts = case when a.day = excluded.day then a.attempts + 1 else 1 end, day = excluded.day
    where a.day <> excluded.day or a.attempts < ${max}
    returning 1
  `.execute(em.getKysely());
  return rows.length > 0;
}

/** A hostname that belongs to a project, for serving requests. */
export interface HeldHost {
  hostname: string;
  id: string;
  projectId: string;
  state: DomainState;
  goodAt: Date;
  projectDomains: string[];
}

const HELD = sql`from custom_domain d ${joinProject(sql`d.project_id`)} where d.state <> 'pending'`;

export async function readHeldHosts(em: EntityManager): Promise<HeldHost[]> {
  const { rows } = await sql<HeldHost>`
    select d.hostname, d.id, d.project_id as "projectId", d.state, d.good_at as "goodAt",
           p.domains as "projectDomains" ${HELD}
  `.execute(em.getKysely());
  return rows;
}

/** A version that changes with the result of `readHeldHosts`. */
export async function readHeldVersion(em: EntityManager): Promise<string> {
  const { rows } = await sql<{ version: string }>`
    select count(*) || ' ' || coalesce(sum(hashtextextended(
      concat_ws(' ', d.hostname, d.id, d.project_id, d.state, d.good_at, p.domains::text), 0)), 0) as version ${HELD}
  `.execute(em.getKysely());
  return rows[0]?.version ?? '';
}

/**
 * Stores a request over the host; the first one makes a verified domain active. Returns the project of a domain that
 * this call made active, else null.
 */
export async function writeSeen(tx: EntityManager, id: string, at: Date): Promise<string | null> {
  const { rows } = await sql<{ projectId: string; wasVerified: boolean }>`
    update custom_domain d set seen_at = ${at},
      state_since = case when before.state = 'verified' then ${at} else d.state_since end,
      state = case when before.state = 'verified' then 'active' else d.state end
    from (select id, state from custom_domain where id = ${id} for update) before
    where d.id = before.id
    returning d.project_id as "projectId", before.state = 'verified' as "wasVerified"
  `.execute(tx.getKysely());
  const [row] = rows;
  return row?.wasVerified ? row.projectId : null;
}

export async function writeCertificateAsked(em: EntityManager, id: string, at: Date): Promise<void> {
  await em.nativeUpdate(CustomDomainEntity, { id }, { certificateAskedAt: at });
}

/** Domains by state, and the age of the oldest successful check of serving domains. */
export async function countDomains(
  em: EntityManager,
): Promise<{ states: Map<DomainState, number>; oldestGoodSeconds: number }> {
  const { rows } = await sql<{ state: DomainState; count: number; oldest: number }>`
    select state, count(*)::int as count,
           coalesce(extract(epoch from now() - min(good_at)), 0)::float8 as oldest
    from custom_domain group by state
  `.execute(em.getKysely());
  const healthy = rows.filter(({ state }) => state === 'verified' || state === 'active');
  return {
    states: new Map(rows.map(({ state, count }) => [state, count])),
    oldestGoodSeconds: Math.max(0, ...healthy.map(({ oldest }) => oldest)),
  };
}

/** A project's proxy without hashes. */
export interface StoredProxy extends ProxyObservations {
  /** null: no secret. */
  secretCreatedAt: Date | null;
  formerValidUntil: Date | null;
}

/** null: no secret was created, and no proxy was seen. */
export async function readProxy(em: EntityManager, projectId: string): Promise<StoredProxy | null> {
  const proxy = await em.findOne(FirstPartyProxy, { projectId });
  if (!proxy) return null;
  const { secretCreatedAt, formerValidUntil, provenAt, host, prefix, unprovenAt } = rowOf(proxy);
  return { secretCreatedAt, formerValidUntil, provenAt, host, prefix, unprovenAt };
}

/** The hashes of a project's secrets; null: none. */
export async function readProxySecrets(
  em: EntityManager,
  projectId: string,
): Promise<StoredProxySecrets | null> {
  const proxy = await em.findOne(FirstPartyProxy, { projectId });
  if (!proxy?.secretHash) return null;
  const { formerSecretHash, formerValidUntil } = rowOf(proxy);
  return { hash: proxy.secretHash, formerHash: formerSecretHash, formerValidUntil };
}

/** Stores a request through a proxy; does nothing if the project does not exist. */
export async function writeSighting(
  em: EntityManager,
  projectId: string,
  sighting: { isProven: boolean; host: string | null; prefix: string; at: Date },
): Promise<void> {
  const { isProven, host, prefix, at } = sighting;
  await (
    isProven
      ? sql`
          insert into first_party_proxy (project_id, proven_at, host, prefix)
          select id, ${at}::timestamptz, ${host}::text, ${prefix}::text from ${existingProject(projectId)} p
          on conflict (project_id) do update
          set proven_at = excluded.proven_at, host = excluded.host, prefix = excluded.prefix`
      : sql`
          insert into first_party_proxy (project_id, unproven_at)
          select id, ${at}::timestamptz from ${existingProject(projectId)} p
          on conflict (project_id) do update set unproven_at = excluded.unproven_at`
  ).execute(em.getKysely());
}
