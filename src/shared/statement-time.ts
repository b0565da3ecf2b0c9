import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';

/** What a statement of upkeep may take: an hour of a busy service's records is added up in far less. */
const UPKEEP_STATEMENT_MS = 10 * 60_000;

/** Gives the statements of this transaction the time of upkeep, rather than that of a request. */
export async function allowUpkeepTime(tx: EntityManager): Promise<void> {
  if (!tx.isInTransaction()) throw new Error('The time is that of a transaction.');
  await sql`set local statement_timeout = ${sql.lit(UPKEEP_STATEMENT_MS)}`.execute(tx.getKysely());
}
