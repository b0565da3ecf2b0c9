import type { MikroORM } from '@mikro-orm/postgresql';
import { sql } from 'kysely';

/**
 * What of the server's settings breaks the promise that an acknowledged record is on the disk, as a sentence for
 * the operator; null where nothing does. A session can ask for synchronous commits (database/postgres-pool.ts),
 * for fsync it cannot.
 */
export async function durabilityWarning(orm: MikroORM): Promise<string | null> {
  const { rows } = await sql<{ fsync: string }>`select current_setting('fsync') as fsync`.execute(
    orm.em.fork().getKysely(),
  );
  if (rows[0]?.fsync !== 'off') return null;
  return 'warning: PostgreSQL runs with fsync=off. A crash of its machine loses acknowledged records. Set fsync=on.';
}
