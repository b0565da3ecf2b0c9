import { Module } from '@nestjs/common';
import { DeliveryModule } from '../../platform/delivery/delivery.module.js';
import { AccessModule } from '../access/access.module.js';
import { EndpointService } from './application/endpoint.service.js';
import { EndpointUpkeep } from './application/endpoint-upkeep.js';
import { EventAttempts } from './application/event-attempts.js';
import { EndpointActions, EventLogService } from './application/event-log.service.js';
import { EventWaits } from './application/event-waits.js';
import { EventSender } from './application/event-sender.js';
import { EndpointVault } from './infrastructure/endpoint-vault.js';
import { EventMetrics } from './infrastructure/event.metrics.js';

/** Event endpoints of projects, and the deliveries of events to them; writers call event.log.ts. */
@Module({
  imports: [AccessModule, DeliveryModule],
  providers: [
    EndpointVault,
    EventMetrics,
    EventAttempts,
    EventSender,
    EndpointService,
    EventLogService,
    EventWaits,
    EndpointActions,
    EndpointUpkeep,
  ],
  exports: [EndpointService, EventLogService, EventWaits, EndpointActions],
})
export class EventsModule {}
