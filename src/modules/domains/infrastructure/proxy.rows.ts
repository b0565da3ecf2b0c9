import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { existingProject } from '../../projects/project.rows.js';
import type { ProxyObservations, StoredProxySecrets } from '../domain/proxy-secret.js';

/** A project's proxy without hashes. */
export interface StoredProxy extends ProxyObservations {
  /** null: no secret. */
  secretCreatedAt: Date | null;
  formerValidUntil: Date | null;
}

/** null: no secret was created, and no proxy was seen. */
export async function readProxy(em: EntityManager, projectId: string): Promise<StoredProxy | null> {
  const { rows } = await sql<StoredProxy>`
    select secret_created_at as "secretCreatedAt", former_valid_until as "formerValidUntil",
           proven_at as "provenAt", host, prefix, unproven_at as "unprovenAt"
    from first_party_proxy where project_id = ${projectId}
  `.execute(em.getKysely());
  return rows[0] ?? null;
}

/** The hashes of a project's secrets; null: none. */
export async function readProxySecrets(
  em: EntityManager,
  projectId: string,
): Promise<StoredProxySecrets | null> {
  const { rows } = await sql<StoredProxySecrets>`
    select secret_hash as hash, former_secret_hash as "formerHash", former_valid_until as "formerValidUntil"
    from first_party_proxy where project_id = ${projectId} and secret_hash is not null
  `.execute(em.getKysely());
  return rows[0] ?? null;
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
