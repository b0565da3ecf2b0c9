import { Migrator } from '@mikro-orm/migrations';
import { defineConfig, type Options } from '@mikro-orm/postgresql';
import { type ConnectionConfig, connectionConfig } from '../platform/database/connection-config.js';
import { QUEUE_SCHEMA } from '../platform/database/queue.js';
import { entities } from './entities.js';
import { SchemaComparison } from '../platform/database/schema-comparison.js';
import { migrations } from '../migrations/index.js';

/** The ORM configuration of the application and the command line. */
export function ormOptions(databaseUrl: string, connection: ConnectionConfig = {}): Options {
  return defineConfig({
    ...connectionConfig(databaseUrl, connection),
    entities,
    extensions: [Migrator, SchemaComparison],
    migrations: {
      migrationsList: migrations,
      snapshot: false,
      tableName: 'schema_migration',
      silent: true,
      // One transaction per migration: a lock is held no longer than its change needs.
      allOrNothing: false,
    },
    // Used only to compare schemas (schema-comparison.ts). The ORM already ignores partitions, sequences and its own
    // table of migrations. Views belong to extensions such as pg_stat_statements: the service has none.
    schemaGenerator: {
      ignoreSchema: [QUEUE_SCHEMA],
      skipViews: [/./],
      ignoreRoutines: true,
      ignoreTriggers: true,
    },
  });
}
