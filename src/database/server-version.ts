import type { MikroORM } from '@mikro-orm/postgresql';
import { sql } from 'kysely';

/** The oldest major version that is tested; what is older is no longer supported by those who make PostgreSQL. */
export const POSTGRES_OLDEST = 15;
/** `server_version_num` counts so many for a major version: 150018 is 15.18. */
const PER_MAJOR_VERSION = 10_000;

/** Why a server of this `server_version_num` cannot be used, as a sentence for the operator; null where it can. */
export function oldVersionSentence(versionNumber: number): string | null {
  const major = Math.floor(versionNumber / PER_MAJOR_VERSION);
  if (major >= POSTGRES_OLDEST) return null;
  return (
    `The database is PostgreSQL ${major}, and the service needs ${POSTGRES_OLDEST} or later. ` +
    'Upgrade it, or set the URL of another one (docs/operations.md).'
  );
}

/** The same of the server that `orm` leads to. */
export async function oldServerSentence(orm: MikroORM): Promise<string | null> {
  const { rows } = await sql<{ version: number }>`
    select current_setting('server_version_num')::int as version
  `.execute(orm.em.fork().getKysely());
  return oldVersionSentence(rows[0]?.version ?? 0);
}
