import type { EntityManager, InferKyselyDB } from '@mikro-orm/postgresql';
import { sql, type Kysely } from 'kysely';

/** Columns are named like the entities' properties, in queries and in results. */
const PROPERTY_NAMES = { columnNamingStrategy: 'property' } as const;

/** The table types of some entities: nullable columns, defaults, enum values. */
export type TablesOf<Schemas extends { name: string }> = InferKyselyDB<Schemas, typeof PROPERTY_NAMES>;

/**
 * Typed queries over a module's own tables (ADR 0022), in the transaction of `em`, if any. Each
 * module has a function with its tables; a query of another module's does not compile.
 */
export function typedTables<Tables>(em: EntityManager): Kysely<Tables> {
  // The ORM's own type is conditional on named tables, which the compiler cannot resolve here.
  return em.getKysely<Tables, typeof PROPERTY_NAMES>(PROPERTY_NAMES) as unknown as Kysely<Tables>;
}

/** The row of a loaded entity: null where the ORM's types also allow undefined. */
type RowOf<Entity> = {
  [Name in keyof Entity]: undefined extends Entity[Name]
    ? Exclude<Entity[Name], undefined> | null
    : Entity[Name];
};

/** Copies a loaded entity to a plain row, for callers that must not change it. */
export function rowOf<Entity extends object>(entity: Entity): RowOf<Entity> {
  const values = Object.entries(entity).map(([name, value]) => [name, value ?? null] as const);
  return Object.fromEntries(values) as RowOf<Entity>;
}

/** When the transaction began, by the database's clock. */
export const NOW = sql<Date>`now()`;

/** Statement timeout of maintenance. Rolling up an hour of records of a busy service takes far less. */
const MAINTENANCE_STATEMENT_MS = 10 * 60_000;

/** Replaces the statement timeout of requests with that of maintenance for this transaction. */
export async function allowMaintenanceTime(tx: EntityManager): Promise<void> {
  if (!tx.isInTransaction()) throw new Error('The statement timeout must be set inside a transaction.');
  await sql`set local statement_timeout = ${sql.lit(MAINTENANCE_STATEMENT_MS)}`.execute(tx.getKysely());
}
