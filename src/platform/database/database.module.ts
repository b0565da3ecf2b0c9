import { type DynamicModule, Global, Module } from '@nestjs/common';
import { MikroOrmModule } from '@mikro-orm/nestjs';
import type { Options } from '@mikro-orm/postgresql';
import { BindingDriver } from './connection-config.js';
import { PartitionMaintenance } from './partitions.js';
import { PreparedReads } from './prepared-reads.js';
import { ProjectReads } from './project-reads.js';

/**
 * The ORM for all modules. The start has migrated the schema, or checked its version
 * (src/programs/start-database.ts).
 */
@Global()
@Module({})
export class DatabaseModule {
  static forRoot(options: Options): DynamicModule {
    return {
      module: DatabaseModule,
      providers: [PartitionMaintenance, PreparedReads, ProjectReads],
      exports: [PartitionMaintenance, PreparedReads, ProjectReads],
      imports: [
        MikroOrmModule.forRoot({
          driver: BindingDriver,
          ...options,
          // Services fork an entity manager for each use case; the public ingest needs no context.
          registerRequestContext: false,
        }),
      ],
    };
  }
}
