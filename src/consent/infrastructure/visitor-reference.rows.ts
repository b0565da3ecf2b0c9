import type { EntityManager } from '@mikro-orm/postgresql';
import { readVisitorReference } from '../../projects/project.rows.js';
import type { VisitorReference } from '../domain/visitor-reference.js';

const NONE: VisitorReference = { field: null, hashed: false, salt: null };

/** How the project's records identify a visitor. A deleted project identifies none. */
export async function findVisitorReference(em: EntityManager, projectId: string): Promise<VisitorReference> {
  return (await readVisitorReference(em, projectId)) ?? NONE;
}
