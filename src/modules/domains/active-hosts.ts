import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { GOOD_FOR_MS } from './domain/custom-domain.js';

/** Active custom domains of the project whose DNS records were checked in the last 24 hours. */
export async function readActiveHosts(em: EntityManager, projectId: string): Promise<string[]> {
  const { rows } = await sql<{ hostname: string }>`
    select hostname from custom_domain
    where project_id = ${projectId} and state = 'active' and good_at > now() - ${GOOD_FOR_MS} * interval '1 millisecond'
    order by hostname
  `.execute(em.getKysely());
  return rows.map(({ hostname }) => hostname);
}
