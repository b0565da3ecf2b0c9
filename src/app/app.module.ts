import { BullModule } from '@nestjs/bullmq';
import { ConfigModule, registerAs } from '@nestjs/config';
import { type DynamicModule, Global, Module } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import { AuditHttpModule } from '../audit/http/audit-http.module.js';
import { AccessModule } from '../access/access.module.js';
import { BillingModule } from '../billing/billing.module.js';
import { ConsentModule } from '../consent/consent.module.js';
import { ERASURE_LISTENERS } from '../consent/erasure-listener.js';
import { DatabaseModule } from '../database/database.module.js';
import { DomainsModule } from '../domains/domains.module.js';
import { EvidenceModule } from '../evidence/evidence.module.js';
import { FirstPartyModule } from '../first-party/first-party.module.js';
import { ForwardingModule } from '../forwarding/forwarding.module.js';
import { LicensingModule } from '../licensing/licensing.module.js';
import { LoggerModule } from 'nestjs-pino';
import { MailModule } from '../mail/mail.module.js';
import { OperationsModule } from '../operations/operations.module.js';
import { TierSimulationModule } from '../licensing/tier-simulation.module.js';
import { OutboxModule } from '../outbox/outbox.module.js';
import { ProjectsHttpModule } from '../projects/http/projects-http.module.js';
import { PublishingModule } from '../publishing/publishing.module.js';
import { loggingOptions } from '../http/logging.js';
import { FilesModule } from '../http/file-answer.js';
import { MetricsModule } from '../shared/metrics.js';
import { ProblemFilter } from '../http/problem.filter.js';
import { queueConnection, QueueLifetime } from '../database/queue.js';
import { erasureListeners } from './erasure-listeners.js';
import { ormOptions } from './orm-options.js';
import type { Settings } from './settings.js';
import { ScansModule } from '../scans/scans.module.js';
import { VisitsModule } from '../visits/visits.module.js';
import { MaintenanceModule } from '../shared/maintenance.js';

/** Registers the values of each module's settings under the module's token (`@InjectSettings(forwardingSettings)`). */
function settingsModule(settings: Settings): Promise<DynamicModule> {
  return ConfigModule.forRoot({
    isGlobal: true,
    // They were read before the application was loaded, and standalone mode has completed them since (ADR 23).
    ignoreEnvFile: true,
    validatePredefined: false,
    skipProcessEnv: true,
    load: Object.entries(settings).map(([name, values]) => registerAs(name, () => values)),
  });
}

/** Turns every error into a problem document, also on routes outside Nest. */
@Global()
@Module({
  providers: [ProblemFilter, { provide: APP_FILTER, useExisting: ProblemFilter }],
  exports: [ProblemFilter],
})
class ProblemModule {}

/** Provides consent with what other modules delete when it erases records. */
@Global()
@Module({
  providers: [{ provide: ERASURE_LISTENERS, useValue: erasureListeners }],
  exports: [ERASURE_LISTENERS],
})
class ErasureListenersModule {}

export interface AppOptions {
  /** Whether records are sequenced on a separate thread instead of the main thread. Requires the built program. */
  sequencerThread: boolean;
}

/** The whole service. Guards run in the order of their modules: access checks the caller, then licensing the tier. */
@Module({})
export class AppModule {
  static forRoot(settings: Settings, options: AppOptions = { sequencerThread: false }): DynamicModule {
    const queues = new QueueLifetime();
    return {
      module: AppModule,
      imports: [
        settingsModule(settings),
        LoggerModule.forRoot(loggingOptions(settings.app.logLevel)),
        ProblemModule,
        MetricsModule,
        FilesModule,
        MaintenanceModule,
        DatabaseModule.forRoot(ormOptions(settings.database.databaseUrl)),
        BullModule.forRoot(queueConnection({ ...settings.database, ...settings.queue }, queues)),
        OutboxModule.forRoot(settings.app),
        MailModule,
        AccessModule,
        LicensingModule,
        ...(settings.service.production ? [] : [TierSimulationModule]),
        AuditHttpModule,
        ProjectsHttpModule,
        ErasureListenersModule,
        ConsentModule,
        EvidenceModule.forRoot(options),
        VisitsModule,
        ForwardingModule.forRoot(settings.app),
        BillingModule,
        PublishingModule,
        // Ahead of the path proxy: a custom domain serves no `/first-party/`.
        DomainsModule,
        FirstPartyModule,
        ScansModule,
        OperationsModule.forRoot(settings.app),
      ],
      providers: [{ provide: QueueLifetime, useValue: queues }],
    };
  }
}
