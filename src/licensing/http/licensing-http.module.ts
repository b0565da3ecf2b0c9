import { Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { LicensingModule } from '../licensing.module.js';
import { TierGuard } from '../tier.guard.js';
import { PricingPageController } from './pricing-page.controller.js';
import { PricingController } from './pricing.controller.js';
import { TierController } from './tier.controller.js';

/** The routes of tiers and prices, and the guard of `@RequireTier()`. */
@Module({
  imports: [LicensingModule],
  controllers: [TierController, PricingController, PricingPageController],
  providers: [{ provide: APP_GUARD, useClass: TierGuard }],
})
export class LicensingHttpModule {}
