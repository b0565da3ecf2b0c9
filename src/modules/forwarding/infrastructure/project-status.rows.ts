import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { FORWARDING_TIERS } from '../../licensing/domain/catalogue.js';
import { joinProject } from '../../projects/project.rows.js';
import type { EndpointFacts } from '../domain/endpoint-status.js';
import { resendableRecords } from './delivery.rows.js';
import { LAST_DELIVERED_AT } from './last-delivered.rows.js';

/**
 * Input of the status of each project's receiver; projects that never saved settings are missing.
 */
export async function readEndpointFacts(
  em: EntityManager,
  projectIds: readonly string[],
): Promise<({ projectId: string } & EndpointFacts)[]> {
  const { rows } = await sql<{ projectId: string } & EndpointFacts>`
    select f.project_id as "projectId", f.enabled and p.tier = any(${[...FORWARDING_TIERS]}::text[]) as "isOn",
           ${LAST_DELIVERED_AT} as "lastDeliveredAt", l.at as "lastFailedAt", h.failing_since as "failingSince",
           case when h.phase = 'open' then h.held_since end as "heldSince"
    from forwarding_settings f
    ${joinProject(sql.ref('f.project_id'))}
    left join forwarding_last_failure l on l.project_id = f.project_id
    left join forwarding_hold h on h.project_id = f.project_id
    where f.project_id = any(${[...projectIds]}::uuid[])
  `.execute(em.getKysely());
  return rows;
}

/** At most `limit` records of each project whose latest attempt failed and that are not retried, oldest first. */
export async function selectFailedRecords(
  em: EntityManager,
  projectIds: readonly string[],
  { from, to, limit }: { from: Date; to: Date; limit: number },
): Promise<{ projectId: string; consentId: string }[]> {
  const { rows } = await sql<{ projectId: string; consentId: string }>`
    select s.project_id as "projectId", failed."consentId"
    from unnest(${[...projectIds]}::uuid[]) as s (project_id)
    cross join lateral (
      ${resendableRecords(sql.ref('s.project_id'), { status: 'failed', from, to, waiting: [], limit })}
    ) failed
  `.execute(em.getKysely());
  return rows;
}
