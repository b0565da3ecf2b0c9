import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';

/** Statement timeout of maintenance. Rolling up an hour of records of a busy service takes far less. */
const MAINTENANCE_STATEMENT_MS = 10 * 60_000;

/** Replaces the statement timeout of requests with that of maintenance for this transaction. */
export async function allowMaintenanceTime(tx: EntityManager): Promise<void> {
  if (!tx.isInTransaction()) throw new Error('The statement timeout must be set inside a transaction.');
  await sql`set local statement_timeout = ${sql.lit(MAINTENANCE_STATEMENT_MS)}`.execute(tx.getKysely());
}
