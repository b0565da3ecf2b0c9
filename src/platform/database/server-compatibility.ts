import type { MikroORM } from '@mikro-orm/postgresql';
import { sql } from 'kysely';

/** The oldest major version that is tested; older ones are no longer supported by PostgreSQL. */
export const POSTGRES_OLDEST = 15;
/** The factor of the major version in `server_version_num`: 150018 is 15.18. */
const PER_MAJOR_VERSION = 10_000;
/** The schema of the tables; grants, copies and schema checks use it. */
const SCHEMA = 'public';
const SEARCH_PATH = `${SCHEMA} with "alter role … set search_path = ${SCHEMA}, bullmq"`;

/** Properties of a database that are read before anything is created in it. */
export interface ServerFacts {
  /** Its `server_version_num`. */
  version: number;
  /** Its `server_encoding`. */
  encoding: string;
  /** The schema for new tables; null if the role's search path contains no existing schema. */
  schema: string | null;
}

/** Why a database cannot be used, as a sentence for the operator; null: it can. */
export function incompatibilitySentence({ version, encoding, schema }: ServerFacts): string | null {
  const major = Math.floor(version / PER_MAJOR_VERSION);
  if (major < POSTGRES_OLDEST)
    return (
      `The database runs PostgreSQL ${major}, but the service requires ${POSTGRES_OLDEST} or later. ` +
      'Upgrade it, or set the URL of another server (docs/deploy.md).'
    );
  if (encoding !== 'UTF8')
    return (
      `The database has the encoding ${encoding}, but the service requires ` +
      'UTF8. Create one with "create database … encoding \'UTF8\' template template0" (docs/deploy.md).'
    );
  if (schema === null)
    return (
      `This role has no access to any schema of its search path. Set it to ${SEARCH_PATH}; "npm run migrate" with ` +
      'DATABASE_OWNER_URL grants access to the runtime role.'
    );
  if (schema !== SCHEMA)
    return (
      `This role creates tables in the schema ${schema}, but the tables of the service are in ${SCHEMA}. Set it to ` +
      `${SEARCH_PATH}.`
    );
  return null;
}

/** The same for the database of `orm`. */
export async function incompatibleServerSentence(orm: MikroORM): Promise<string | null> {
  const { rows } = await sql<ServerFacts>`
    select current_setting('server_version_num')::int as version, current_setting('server_encoding') as encoding,
           current_schema() as schema
  `.execute(orm.em.fork().getKysely());
  const [facts] = rows;
  return facts ? incompatibilitySentence(facts) : null;
}
