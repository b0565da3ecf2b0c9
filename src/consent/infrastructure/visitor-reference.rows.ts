import type { EntityManager } from '@mikro-orm/postgresql';
import { readVisitorReference } from '../../projects/project.rows.js';
import type { VisitorReference } from '../domain/visitor-reference.js';

const NONE: VisitorReference = { field: null, hashed: false, salt: null };

/** How the project's records name a visitor. A deleted project names none. */
export async function findVisitorReference(em: EntityManager, projectId: string): Promise<VisitorReference> {
  return (await readVisitorReference(em, projectId)) ?? NONE;
}
