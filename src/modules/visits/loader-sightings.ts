import type { EntityManager } from '@mikro-orm/postgresql';
import { lastSeenOf } from './infrastructure/visit-rows.js';

/** When the loader was last seen on the sites of each project; projects without a recent sighting are missing. */
export async function readLoaderSightings(
  em: EntityManager,
  projectIds: readonly string[],
  now: Date,
): Promise<Map<string, Date>> {
  const { rows } = await lastSeenOf(projectIds, now).execute(em.getKysely());
  return new Map(rows.map(({ projectId, at }) => [projectId, at]));
}
