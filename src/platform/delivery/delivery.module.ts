import { Module } from '@nestjs/common';
import { NameResolver } from '../network/name-resolver.js';
import { settingsToken } from '../settings/inject-settings.js';
import { type DeliverySettings, deliverySettings } from './delivery.settings.js';
import { EndpointRequests } from './endpoint-requests.js';
import { Sender } from './sender.js';
import { TargetRateLimiter } from './target-rate-limiter.js';

/** Requests to receivers. One sender and one set of limits for all modules of the process. */
@Module({
  providers: [
    {
      provide: NameResolver,
      inject: [settingsToken(deliverySettings)],
      useFactory: ({ connectTimeoutMs, nameServers }: DeliverySettings) =>
        new NameResolver({
          timeoutMs: connectTimeoutMs,
          ...(nameServers.length > 0 && { servers: nameServers }),
        }),
    },
    {
      provide: Sender,
      inject: [settingsToken(deliverySettings), NameResolver],
      useFactory: (settings: DeliverySettings, resolver: NameResolver) => new Sender(settings, resolver),
    },
    TargetRateLimiter,
    EndpointRequests,
  ],
  exports: [Sender, EndpointRequests, TargetRateLimiter],
})
export class DeliveryModule {}
