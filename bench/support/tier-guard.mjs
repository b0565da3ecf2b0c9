// A helper: the service's guard of tiers, built by the service itself on its database, called as Nest calls it.
import 'reflect-metadata';
import { ExecutionContextHost } from '@nestjs/core/helpers/execution-context-host.js';
import { MikroORM } from '@mikro-orm/postgresql';
import { readSettings } from '../../dist/app/settings.js';
import { migrate } from '../../dist/database/migrate.js';
import { ormOptions } from '../../dist/app/orm-options.js';
import { createHttpApp } from '../../dist/app/http-app.js';
import { RequireTier } from '../../dist/licensing/require-tier.decorator.js';
import { LicensingService } from '../../dist/licensing/licensing.service.js';
import { TierGuard } from '../../dist/licensing/tier.guard.js';
import { prepareRuntime } from '../../dist/standalone/application/prepare-runtime.js';
import { Reflector } from '@nestjs/core';
import { createRequire } from 'node:module';
import { answerCalls } from './helper.mjs';

/** Queries that went to PostgreSQL from this process, counted in the driver that the ORM uses. */
let queries = 0;
const { Client } = createRequire(import.meta.resolve('@mikro-orm/postgresql'))('pg');
const query = Client.prototype.query;
Client.prototype.query = /** @this {any} */ function counted(/** @type {any[]} */ ...args) {
  queries += 1;
  return query.apply(this, args);
};

class GuardedController {
  read() {
    return 'read';
  }
}
RequireTier('pro', 'business', 'enterprise')(
  GuardedController.prototype,
  'read',
  /** @type {PropertyDescriptor} */ (Object.getOwnPropertyDescriptor(GuardedController.prototype, 'read')),
);

/** @type {TierGuard} */
let guard;

answerCalls({
  /** @param {{ databaseUrl: string, dataDir: string }} args */
  open: async ({ databaseUrl, dataDir }) => {
    const orm = await MikroORM.init(ormOptions(databaseUrl));
    await migrate(orm, { ownerUrl: databaseUrl, runtimeUrl: databaseUrl });
    await orm.close();
    const { settings } = await prepareRuntime(
      readSettings({
        NODE_ENV: 'development',
        DATABASE_URL: databaseUrl,
        DATA_DIR: dataDir,
        LOG_LEVEL: 'warn',
      }),
    );
    const app = await createHttpApp(settings, { operationsOnly: true });
    guard = new TierGuard(new Reflector(), app.get(LicensingService, { strict: false }));
  },

  /**
   * Calls the guard; returns the milliseconds and the queries of one call on average.
   * @param {{ projectId: string, tierValidUntil: Date | null, count: number, hostname?: string }} args
   */
  call: async ({ projectId, tierValidUntil, count, hostname }) => {
    const project = { id: projectId, domains: [], tier: 'pro', tierReason: 'subscription', tierValidUntil };
    const request = { project, role: 'viewer', query: { hostname } };
    const context = new ExecutionContextHost(
      [request],
      /** @type {any} */ (GuardedController),
      GuardedController.prototype.read,
    );
    const before = queries;
    const startedMs = performance.now();
    for (let call = 0; call < count; call++) {
      // Refused is an answer too: an expired cache has no subscription behind it here.
      await guard.canActivate(context).catch(() => {});
    }
    return { ms: (performance.now() - startedMs) / count, queriesPerCall: (queries - before) / count };
  },
});
