import { Module } from '@nestjs/common';
import { ForwardingModule } from '../forwarding.module.js';
import { DeliveryController } from './delivery.controller.js';
import { ForwardingController } from './forwarding.controller.js';
import { SigningSecretController } from './signing-secret.controller.js';

/** The routes of forwarding. */
@Module({
  imports: [ForwardingModule],
  controllers: [ForwardingController, SigningSecretController, DeliveryController],
})
export class ForwardingHttpModule {}
