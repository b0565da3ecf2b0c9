import { Module } from '@nestjs/common';
import { SimulateTier } from '../application/simulate-tier.js';
import { SimulateTierController } from './simulate-tier.controller.js';
import { LicensingModule } from '../licensing.module.js';

/** Simulated subscriptions (spec §4.5). In production it is not loaded, so that the route does not exist. */
@Module({
  imports: [LicensingModule],
  controllers: [SimulateTierController],
  providers: [SimulateTier],
})
export class TierSimulationModule {}
