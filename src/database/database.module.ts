import { type DynamicModule, Global, Module } from '@nestjs/common';
import { MikroOrmModule } from '@mikro-orm/nestjs';
import { BindingDriver } from './binding-driver.js';
import { ormOptions } from './orm-options.js';
import { ProjectReads } from './project-reads.js';

/** The ORM, for every module. Migrations have run before the application is made (main.ts, worker.ts). */
@Global()
@Module({})
export class DatabaseModule {
  static forRoot(databaseUrl: string): DynamicModule {
    return {
      module: DatabaseModule,
      providers: [ProjectReads],
      exports: [ProjectReads],
      imports: [
        MikroOrmModule.forRoot({
          driver: BindingDriver,
          ...ormOptions(databaseUrl),
          // Services fork an entity manager for each use case; the public ingest needs no context at all.
          registerRequestContext: false,
        }),
      ],
    };
  }
}
