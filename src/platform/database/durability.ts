import type { MikroORM } from '@mikro-orm/postgresql';
import { sql } from 'kysely';

/**
 * Why the server's settings don't guarantee that an acknowledged record is on disk, as a sentence
 * for the operator; null: they do. A session can request synchronous commits
 * (platform/database/postgres-pool.ts), but not fsync.
 */
export async function durabilityWarning(orm: MikroORM): Promise<string | null> {
  const { rows } = await sql<{ fsync: string }>`select current_setting('fsync') as fsync`.execute(
    orm.em.fork().getKysely(),
  );
  if (rows[0]?.fsync !== 'off') return null;
  return 'warning: PostgreSQL runs with fsync=off. A crash of its machine loses acknowledged records. Set fsync=on.';
}
