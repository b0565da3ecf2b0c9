import { BullModule } from '@nestjs/bullmq';
import { type DynamicModule, Global, Module } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import { AccessModule } from '../access/access.module.js';
import { BillingModule } from '../billing/billing.module.js';
import type { Settings } from './config.js';
import { ConsentModule } from '../consent/consent.module.js';
import { DatabaseModule } from '../database/database.module.js';
import { ForwardingModule } from '../forwarding/forwarding.module.js';
import { LicensingModule } from '../licensing/licensing.module.js';
import { LoggerModule } from 'nestjs-pino';
import { OperationsModule } from '../operations/operations.module.js';
import { TierSimulationModule } from '../licensing/tier-simulation.module.js';
import { OutboxModule } from '../outbox/outbox.module.js';
import { ProjectsHttpModule } from '../projects/http/projects-http.module.js';
import { PublishingModule } from '../publishing/publishing.module.js';
import { loggingOptions } from '../shared/logging.js';
import { MetricsModule } from '../shared/metrics.js';
import { ProblemFilter } from '../shared/problem.filter.js';
import { queueConnection, QueueLifetime } from '../shared/queue.js';
import { SETTINGS } from '../shared/settings.js';
import { UpkeepModule } from '../shared/upkeep.js';

@Global()
@Module({})
class SettingsModule {
  static forRoot(settings: Settings): DynamicModule {
    return {
      module: SettingsModule,
      providers: [{ provide: SETTINGS, useValue: settings }],
      exports: [SETTINGS],
    };
  }
}

/** Everything that is thrown becomes a problem document, on the route that Nest does not serve as well. */
@Global()
@Module({
  providers: [ProblemFilter, { provide: APP_FILTER, useExisting: ProblemFilter }],
  exports: [ProblemFilter],
})
class ProblemModule {}

/**
 * The whole service. Guards run in the order in which their modules stand here: who calls (access) before
 * what the project's tier allows (licensing).
 */
@Module({})
export class AppModule {
  static forRoot(settings: Settings): DynamicModule {
    const queues = new QueueLifetime();
    return {
      module: AppModule,
      imports: [
        SettingsModule.forRoot(settings),
        LoggerModule.forRoot(loggingOptions(settings)),
        ProblemModule,
        MetricsModule,
        UpkeepModule,
        DatabaseModule.forRoot(settings.databaseUrl),
        BullModule.forRoot(queueConnection(settings, queues)),
        OutboxModule.forRoot(settings),
        AccessModule,
        LicensingModule,
        ...(settings.production ? [] : [TierSimulationModule]),
        ProjectsHttpModule,
        ConsentModule,
        ForwardingModule,
        BillingModule.forRoot(settings),
        PublishingModule,
        OperationsModule.forRoot(settings),
      ],
      providers: [{ provide: QueueLifetime, useValue: queues }],
    };
  }
}
