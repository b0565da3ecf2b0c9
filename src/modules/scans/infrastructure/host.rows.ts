import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { DAY_MS } from '../domain/scan-limits.js';
import { scanTables } from './scan.tables.js';

/**
 * Counts a scan for a host in 24 hours, over all projects. False: the host has reached its limit;
 * the scan is not counted. The lock of the host's row serializes scanners.
 */
export async function admitToHost(
  em: EntityManager,
  { host, scanId, scansMax }: { host: string; scanId: string; scansMax: number },
): Promise<boolean> {
  return em.transactional(async (tx) => {
    const kysely = tx.getKysely();
    await scanTables(tx)
      .insertInto('scan_host')
      .values({ host })
      .onConflict((known) => known.column('host').doUpdateSet({ host }))
      .execute();
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

/**
 * Reserves the next page of a host, over all scanners, right before it is requested: the pause after it
 * starts now. Returns 0, or the milliseconds until the next try; then nothing was reserved.
 */
export async function takePage(em: EntityManager, host: string, pauseMs: number): Promise<number> {
  const { rows } = await sql`
    insert into scan_host (host, next_page_at) values (${host}, ${afterPause(pauseMs)})
    on conflict (host) do update set next_page_at = ${afterPause(pauseMs)}
    where scan_host.next_page_at <= clock_timestamp()
    returning 1
  `.execute(em.getKysely());
  if (rows.length > 0) return 0;
  const { rows: taken } = await sql<{ waitMs: number }>`
    select ceil(extract(epoch from next_page_at - clock_timestamp()) * 1000)::float8 as "waitMs"
    from scan_host where host = ${host}
  `.execute(em.getKysely());
  // At least one, so that the caller does not take it for a page.
  return Math.max(1, taken[0]?.waitMs ?? 0);
}

/** Keeps the next page of a host away for a while, unless it already is for longer. */
export async function pauseAfterPage(em: EntityManager, host: string, pauseMs: number): Promise<void> {
  await sql`
    insert into scan_host (host, next_page_at) values (${host}, ${afterPause(pauseMs)})
    on conflict (host) do update set next_page_at = greatest(scan_host.next_page_at, excluded.next_page_at)
  `.execute(em.getKysely());
}

function afterPause(pauseMs: number) {
  return sql`clock_timestamp() + ${pauseMs} * interval '1 millisecond'`;
}

/** When the scans of the hosts in the last 24 hours began, oldest first, per host. */
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
