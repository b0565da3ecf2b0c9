import type { EntityManager } from '@mikro-orm/postgresql';
import { type RawBuilder, sql } from 'kysely';
import type { VisitorReference } from '../domain/visitor-reference.js';
import { consentTables } from './consent.tables.js';

/** The default without a row. */
const NONE: VisitorReference = { field: null, hashed: false, salt: null };

/** How the project's records identify a visitor. */
export async function findVisitorReference(em: EntityManager, projectId: string): Promise<VisitorReference> {
  const found = await consentTables(em)
    .selectFrom('visitor_reference')
    .select(['field', 'hashed', 'salt'])
    .where('projectId', '=', projectId)
    .executeTakeFirst();
  return found ?? NONE;
}

/** Keeps a stored salt, because existing hashes depend on it. */
export async function writeVisitorReference(
  tx: EntityManager,
  projectId: string,
  { field, hashed, salt }: VisitorReference & { salt: Buffer },
): Promise<void> {
  await consentTables(tx)
    .insertInto('visitor_reference')
    .values({ projectId, field, hashed, salt })
    .onConflict((conflict) => conflict.column('projectId').doUpdateSet({ field, hashed }))
    .execute();
}

/**
 * A fragment that joins the visitor reference of a row's project as `v`, with null columns if the
 * project has none.
 */
export function lookUpVisitorReference(projectId: RawBuilder<unknown>): RawBuilder<unknown> {
  // The limit makes it one primary-key lookup per row, independent of the planner's statistics.
  return sql`left join lateral (
    select * from visitor_reference where project_id = ${projectId} limit 1
  ) v on true`;
}
