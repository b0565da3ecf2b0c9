import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { DAY_MS } from '../domain/scan-limits.js';

/**
 * Counts a scan among those of a host in 24 hours, over all projects. False: the host has had as many as it may; the
 * scan is not counted. The host's row makes scanners take turns.
 */
export async function admitToHost(
  em: EntityManager,
  { host, scanId, scansMax }: { host: string; scanId: string; scansMax: number },
): Promise<boolean> {
  return em.transactional(async (tx) => {
    const kysely = tx.getKysely();
    await sql`
      insert into scan_host (host) values (${host}) on conflict (host) do update set host = excluded.host
    `.execute(kysely);
    await sql`
      delete from scan_host_scan where host = ${host} and at <= now() - ${DAY_MS} * interval '1 millisecond'
    `.execute(kysely);
    const { rows } = await sql`
      insert into scan_host_scan (host, scan_id)
      select ${host}, ${scanId} where (
        select count(*) from scan_host_scan where host = ${host} and scan_id <> ${scanId}
      ) < ${scansMax}
      on conflict (host, scan_id) do update set at = scan_host_scan.at
      returning 1
    `.execute(kysely);
    return rows.length > 0;
  });
}

/** Reserves the next page of a host, over all scanners. Returns the milliseconds until it may be loaded. */
export async function reservePage(em: EntityManager, host: string, gapMs: number): Promise<number> {
  const { rows } = await sql<{ waitMs: number }>`
    insert into scan_host (host, next_page_at) values (${host}, now() + ${gapMs} * interval '1 millisecond')
    on conflict (host) do update set
      next_page_at = greatest(scan_host.next_page_at, now()) + ${gapMs} * interval '1 millisecond'
    returning (extract(epoch from next_page_at - now()) * 1000 - ${gapMs})::float8 as "waitMs"
  `.execute(em.getKysely());
  return Math.max(0, rows[0]?.waitMs ?? 0);
}

/** When the scans of the hosts began, oldest first: those of the last 24 hours, of each host. */
export async function readHostScans(
  em: EntityManager,
  hosts: readonly string[],
): Promise<{ host: string; times: Date[] }[]> {
  const { rows } = await sql<{ host: string; times: Date[] }>`
    select host, array_agg(at order by at) as times from scan_host_scan
    where host = any(${[...hosts]}::text[]) and at > now() - ${DAY_MS} * interval '1 millisecond'
    group by host
  `.execute(em.getKysely());
  return rows.map(({ host, times }) => ({ host, times: times.map((time) => new Date(time)) }));
}

/** Deletes hosts that were not scanned for a while. Returns how many. */
export async function deleteHostsBefore(
  tx: EntityManager,
  { before, limit }: { before: Date; limit: number },
): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    delete from scan_host where host in (
      select host from scan_host h where next_page_at < ${before} and not exists (
        select from scan_host_scan s where s.host = h.host and s.at >= ${before}
      ) limit ${limit} for update skip locked
    )
  `.execute(tx.getKysely());
  return Number(numAffectedRows);
}
