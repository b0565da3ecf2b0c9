import { BullModule } from '@nestjs/bullmq';
import { ConfigModule, registerAs } from '@nestjs/config';
import { type DynamicModule, Global, Module, type Type } from '@nestjs/common';
import { AuditModule } from '../modules/audit/audit.module.js';
import { AccessModule } from '../modules/access/access.module.js';
import { BillingModule } from '../modules/billing/billing.module.js';
import { ConsentModule } from '../modules/consent/consent.module.js';
import { ERASURE_LISTENERS } from '../modules/consent/consent.hooks.js';
import { DatabaseModule } from '../platform/database/database.module.js';
import { RetryScheduler } from '../modules/forwarding/application/retry-scheduler.js';
import { DomainsModule } from '../modules/domains/domains.module.js';
import { EventScheduler } from '../modules/events/application/event-scheduler.js';
import { EventsModule } from '../modules/events/events.module.js';
import { EvidenceModule } from '../modules/evidence/evidence.module.js';
import { ForwardingModule } from '../modules/forwarding/forwarding.module.js';
import { LicensingModule } from '../modules/licensing/licensing.module.js';
import { LoggerModule } from 'nestjs-pino';
import { MailModule } from '../platform/mail/mail.module.js';
import { OperationsModule } from '../platform/operations/operations.module.js';
import { OutboxModule } from '../platform/outbox/outbox.module.js';
import { PublishingModule } from '../modules/publishing/publishing.module.js';
import { loggingOptions } from '../platform/http/logging.js';
import { queueConnection, QueueLifetime } from '../platform/database/queue.js';
import { erasureListeners } from './erasure-listeners.js';
import { ormOptions } from './orm-options.js';
import type { Settings } from './settings.js';
import { ImportsModule } from '../modules/imports/imports.module.js';
import { OrganizationsModule } from '../modules/organizations/organizations.module.js';
import { ScansModule } from '../modules/scans/scans.module.js';
import { VisitsModule } from '../modules/visits/visits.module.js';

/** Registers the values of each module's settings under the module's token (`@InjectSettings(forwardingSettings)`). */
function settingsModule(settings: Settings): Promise<DynamicModule> {
  return ConfigModule.forRoot({
    isGlobal: true,
    // They were read before the application was loaded, and completed by standalone mode (ADR 23).
    ignoreEnvFile: true,
    validatePredefined: false,
    skipProcessEnv: true,
    load: Object.entries(settings).map(([name, values]) => registerAs(name, () => values)),
  });
}

/** The service without its routes, which ApiModule adds: a worker does not load them. */
@Global()
@Module({})
export class AppModule {
  static forRoot(settings: Settings, further: Type[] = []): DynamicModule {
    const queues = new QueueLifetime();
    return {
      module: AppModule,
      imports: [
        settingsModule(settings),
        LoggerModule.forRoot(loggingOptions(settings.app.logLevel)),
        DatabaseModule.forRoot(ormOptions(settings.database.databaseUrl)),
        BullModule.forRoot(queueConnection({ ...settings.database, ...settings.queue }, queues)),
        OutboxModule.forRoot(settings.app),
        MailModule,
        AccessModule,
        LicensingModule,
        AuditModule,
        ConsentModule,
        EvidenceModule,
        VisitsModule,
        ForwardingModule,
        EventsModule,
        ImportsModule,
        OrganizationsModule,
        BillingModule,
        PublishingModule,
        DomainsModule,
        ScansModule,
        OperationsModule.forRoot(settings.app),
        ...further,
      ],
      providers: [
        { provide: QueueLifetime, useValue: queues },
        { provide: ERASURE_LISTENERS, useValue: erasureListeners },
        ...(settings.app.runWorker ? [RetryScheduler, EventScheduler] : []),
      ],
      exports: [ERASURE_LISTENERS],
    };
  }
}
