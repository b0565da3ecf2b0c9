import { Module, type OnModuleInit } from '@nestjs/common';
import { AccessModule } from '../access/access.module.js';
import { ConsentModule } from '../consent/consent.module.js';
import { PartitionMaintenance } from '../../platform/database/partitions.js';
import { DeliveryModule } from '../../platform/delivery/delivery.module.js';
import { LicensingModule } from '../licensing/licensing.module.js';
import { ProjectsModule } from '../projects/projects.module.js';
import { ConsentForwarder, ReceiverCircuitBreaker } from './application/consent-forwarder.js';
import {
  DeliveryActivityService,
  DeliveryLogService,
  ListByDelivery,
} from './application/delivery-log.service.js';
import { ResendService } from './application/resend.service.js';
import { UndeliveredMails, UndeliveredService } from './application/undelivered.service.js';
import { ForwardingStatus } from './forwarding-status.js';
import { EndpointTestService } from './application/endpoint-test.service.js';
import {
  ForwardingSettingsService,
  SigningSecretService,
} from './application/forwarding-settings.service.js';
import { AttemptDelivery } from './application/attempt-delivery.js';
import { HoldNotifications, HoldService } from './application/hold.service.js';
import { SettleHolds } from './application/settle-holds.js';
import { DeleteProjectDeliveries } from './application/delivery-erasure.js';
import { DELIVERY_PARTITIONS, deliveriesKeptSince } from './infrastructure/delivery.rows.js';
import { ForwardingMetrics } from './infrastructure/forwarding.metrics.js';
import { TokenVault } from './infrastructure/secret.rows.js';

/** Sends saved consent records to the projects' endpoints. */
@Module({
  imports: [AccessModule, ConsentModule, DeliveryModule, LicensingModule, ProjectsModule],
  providers: [
    TokenVault,
    AttemptDelivery,
    ReceiverCircuitBreaker,
    SettleHolds,
    HoldService,
    HoldNotifications,
    ConsentForwarder,
    ForwardingSettingsService,
    SigningSecretService,
    EndpointTestService,
    DeliveryLogService,
    DeliveryActivityService,
    ResendService,
    UndeliveredService,
    ForwardingStatus,
    UndeliveredMails,
    ListByDelivery,
    ForwardingMetrics,
    DeleteProjectDeliveries,
  ],
  exports: [
    DeliveryLogService,
    ResendService,
    UndeliveredService,
    DeliveryActivityService,
    ForwardingSettingsService,
    ForwardingStatus,
    EndpointTestService,
    HoldService,
    SigningSecretService,
  ],
})
export class ForwardingModule implements OnModuleInit {
  constructor(private readonly partitions: PartitionMaintenance) {}

  async onModuleInit(): Promise<void> {
    for (const table of DELIVERY_PARTITIONS)
      await this.partitions.register(table, (now) => deliveriesKeptSince(now, table));
  }
}
