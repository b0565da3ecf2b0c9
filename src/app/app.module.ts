import { BullModule } from '@nestjs/bullmq';
import { ConfigModule, registerAs } from '@nestjs/config';
import { type DynamicModule, Global, Module, type Type } from '@nestjs/common';
import { AuditModule } from '../audit/audit.module.js';
import { AccessModule } from '../access/access.module.js';
import { BillingModule } from '../billing/billing.module.js';
import { ConsentModule } from '../consent/consent.module.js';
import { ERASURE_LISTENERS } from '../consent/erasure-listener.js';
import { DatabaseModule } from '../database/database.module.js';
import { DomainsModule } from '../domains/domains.module.js';
import { EvidenceModule } from '../evidence/evidence.module.js';
import { FirstPartyModule } from '../first-party/first-party.module.js';
import { ForwardingModule } from '../forwarding/forwarding.module.js';
import { RetryModule } from '../forwarding/retry.module.js';
import { LicensingModule } from '../licensing/licensing.module.js';
import { LoggerModule } from 'nestjs-pino';
import { MailModule } from '../mail/mail.module.js';
import { OperationsModule } from '../operations/operations.module.js';
import { OutboxModule } from '../outbox/outbox.module.js';
import { PublishingModule } from '../publishing/publishing.module.js';
import { loggingOptions } from '../http/logging.js';
import { MetricsModule } from '../shared/metrics.js';
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

/** Provides consent with what other modules delete when it erases records. */
@Global()
@Module({
  providers: [{ provide: ERASURE_LISTENERS, useValue: erasureListeners }],
  exports: [ERASURE_LISTENERS],
})
class ErasureListenersModule {}

/** The whole service. Its routes are separate modules, so that a worker does not load them. */
@Module({})
export class AppModule {
  /** `http`: what serves HTTP, if anything does. */
  static forRoot(settings: Settings, http: (Type | DynamicModule)[]): DynamicModule {
    const queues = new QueueLifetime();
    return {
      module: AppModule,
      imports: [
        settingsModule(settings),
        LoggerModule.forRoot(loggingOptions(settings.app.logLevel)),
        MetricsModule,
        MaintenanceModule,
        DatabaseModule.forRoot(ormOptions(settings.database.databaseUrl)),
        BullModule.forRoot(queueConnection({ ...settings.database, ...settings.queue }, queues)),
        OutboxModule.forRoot(settings.app),
        MailModule,
        AccessModule,
        LicensingModule,
        AuditModule,
        ErasureListenersModule,
        ConsentModule,
        EvidenceModule,
        VisitsModule,
        ForwardingModule,
        ...(settings.app.runWorker ? [RetryModule] : []),
        BillingModule,
        PublishingModule,
        DomainsModule,
        FirstPartyModule,
        ScansModule,
        OperationsModule.forRoot(settings.app),
        ...http,
      ],
      providers: [{ provide: QueueLifetime, useValue: queues }],
    };
  }
}
