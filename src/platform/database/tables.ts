import type { EntityManager, InferKyselyDB } from '@mikro-orm/postgresql';
import type { Kysely } from 'kysely';

/** Columns are named like the entities' properties, in queries and in results. */
const PROPERTY_NAMES = { columnNamingStrategy: 'property' } as const;

/** The tables of some entities, as the compiler knows them: what is null, what has a default, what an enum holds. */
export type TablesOf<Schemas extends { name: string }> = InferKyselyDB<Schemas, typeof PROPERTY_NAMES>;

/**
 * Typed queries over a module's own tables (ADR 0022), in the transaction of `em` where there is one. Each module has
 * a function that names its tables; the query of another one's does not compile.
 */
export function typedTables<Tables>(em: EntityManager): Kysely<Tables> {
  // The ORM's own type first asks whether tables were named at all, which the compiler cannot answer here.
  return em.getKysely<Tables, typeof PROPERTY_NAMES>(PROPERTY_NAMES) as unknown as Kysely<Tables>;
}
